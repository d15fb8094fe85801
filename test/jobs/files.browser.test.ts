import { afterEach, expect, it, vi } from 'vitest'
import type { SessionClient } from '../../src/client/client-contract.ts'
import type { StoreMode } from '../../src/client/open-options.ts'
import { openSessionStore } from '../../src/client/opening/open-session-store.ts'
import type { ExportFormat, JobProgress } from '../../src/contract/job.ts'

vi.setConfig({ testTimeout: 60_000 })

const clients: SessionClient[] = []
async function open(mode: StoreMode): Promise<SessionClient> {
  const client = await openSessionStore({ name: `files-${crypto.randomUUID()}`, modes: [mode] })
  clients.push(client)
  return client
}
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})

const claude = new File(
  [
    JSON.stringify([
      {
        uuid: '0d1e4c2a-0000-4000-8000-000000000001',
        name: 'Sky',
        chat_messages: [{ uuid: '0d1e4c2a-0000-4000-8000-000000000002', sender: 'human', text: 'Why?' }],
      },
    ]),
  ],
  'whatever.txt',
)
const openAi = new File(
  [
    JSON.stringify([
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello' },
    ]),
  ],
  'chat',
)
const key = 'claude:0d1e4c2a-0000-4000-8000-000000000001'

it.each(['worker', 'inline-worker', 'in-page', 'web-storage', 'memory'] as const)(
  'imports files of any app where the store is %s, and writes them',
  async (mode) => {
    localStorage.clear()
    const client = await open(mode)
    expect(await client.files.import([claude, openAi], { dryRun: true }).result).toMatchObject({
      added: 3,
      skipped: [],
    })
    expect((await client.listSessions()).total).toBe(0)
    const seen: JobProgress[] = []
    const job = client.files.import([claude, openAi])
    for await (const progress of job) seen.push(progress)
    expect(await job.result).toMatchObject({
      added: 3,
      skipped: [],
      sessions: [{ dialect: 'openai' }, { key, dialect: 'claude', title: 'Sky' }],
    })
    expect(seen.at(-1)).toMatchObject({ entries: 3 })
    expect(await client.files.import([claude, openAi]).result).toMatchObject({ added: 0, known: 3 })
    const [markdown] = await client.files.export('markdown', { keys: [key] }).result
    expect(await markdown!.blob.text()).toContain('Why?')
  },
)

it.each(['archive', 'pi', 'aixgo', 'ai-panel', 'openai'] as const satisfies readonly ExportFormat[])(
  'moves sessions as %s from one worker to another',
  async (format) => {
    const [one, two] = [await open('worker'), await open('worker')]
    await one.files.import(claude).result
    const files = await one.files.export(format, { as: 'zip' }).result
    expect(files).toHaveLength(1)
    expect(await two.files.import(files).result).toMatchObject({ skipped: [], sessions: [{}] })
    expect((await two.listSessions()).total).toBe(1)
  },
)

it('refuses what holds no conversation, and stops when it is asked to', async () => {
  const client = await open('worker')
  await expect(client.files.import(new Blob(['{"a":1}'])).result).rejects.toMatchObject({ name: 'InvalidInput' })
  await expect(client.files.import(claude, { signal: AbortSignal.abort() }).result).rejects.toMatchObject({
    name: 'Aborted',
  })
  await expect(client.files.export('pi', { keys: ['nobody'] }).result).rejects.toMatchObject({
    name: 'SessionNotFound',
  })
  expect((await client.listSessions()).total).toBe(0)
})
