import { afterEach, expect, it, vi } from 'vitest'
import type { SessionClient } from '../../src/client/client-contract.ts'
import type { StoreMode } from '../../src/client/open-options.ts'
import { openSessionStore } from '../../src/client/opening/open-session-store.ts'
import type { JobProgress } from '../../src/contract/job.ts'
import type { JsonObject } from '../../src/contract/json.ts'
import { watchJobWorkers } from '../support/watch-job-workers.ts'

vi.setConfig({ testTimeout: 60_000 })

const clients: SessionClient[] = []
async function open(mode: StoreMode): Promise<SessionClient> {
  // A mirror is looked through by a job worker too.
  const client = await openSessionStore({ name: `agently-${crypto.randomUUID()}`, modes: [mode], mirror: false })
  clients.push(client)
  return client
}
afterEach(async () => {
  vi.unstubAllGlobals()
  for (const client of clients.splice(0)) await client.close()
})

const talk = (count: number): JsonObject[] =>
  Array.from({ length: count }, (_, i) => ({ role: i % 2 === 0 ? 'user' : 'assistant', content: `第 ${i}` }))
const stateOf = (count: number): JsonObject => ({
  id: 'abc',
  memo: { name: '小明' },
  full_chat_history: talk(count),
  current_chat_history: talk(count).slice(-3),
  settings: { session: { mode: 'memo' } },
  turns: Math.floor(count / 2),
  last_resize_turn: 1,
  memo_cursor: 2,
})
const fileOf = (state: unknown): Blob => new Blob([typeof state === 'string' ? state : JSON.stringify(state)])

it.each(['worker', 'inline-worker', 'in-page', 'web-storage', 'memory'] as const)(
  'imports and exports where the store is %s',
  async (mode) => {
    localStorage.clear()
    const client = await open(mode)
    const made = watchJobWorkers()
    const seen: JobProgress[] = []
    const job = client.files.import(
      fileOf({ ...stateOf(20), settings: { session: { mode: 'memo' }, openai: { api_key: 'sk-secret' } } }),
      { format: 'agently' },
    )
    for await (const progress of job) seen.push(progress)
    expect(await job.result).toMatchObject({
      keys: ['agently:abc'],
      added: 20,
      known: 0,
      skipped: [{ reason: expect.stringContaining('openai') }],
    })
    expect(seen.at(-1)).toMatchObject({ entries: 20, skipped: 1 })
    const [json] = await client.files.export('agently', { keys: ['abc'] }).result
    expect(json?.path).toBe('abc.json')
    expect(JSON.parse(await json!.blob.text())).toEqual(stateOf(20))
    const [yaml] = await client.files.export('agently-yaml', { keys: ['abc'] }).result
    expect(await yaml!.blob.text()).toContain('name: "\\u5C0F\\u660E"')
    expect(await client.files.import(yaml!.blob, { format: 'agently' }).result).toMatchObject({
      keys: ['agently:abc'],
      added: 0,
      known: 20,
    })
    expect(await client.files.import(yaml!.blob, { format: 'agently', key: 'copy' }).result).toMatchObject({
      keys: ['copy'],
      added: 20,
    })
    expect(JSON.parse(await (await client.files.export('agently', { keys: ['copy'] }).result)[0]!.blob.text())).toEqual(
      stateOf(20),
    )
    expect(made).toHaveLength(mode.endsWith('worker') ? 6 : 0)
  },
)

it.each(['worker', 'in-page'] as const)('refuses what is no state, by the error it is (%s)', async (mode) => {
  const client = await open(mode)
  await expect(client.files.import(fileOf([1]), { format: 'agently' }).result).rejects.toBeInstanceOf(TypeError)
  await expect(client.files.import(fileOf({ memo: {} }), { format: 'agently' }).result).rejects.toMatchObject({
    name: 'InvalidInput',
  })
  await expect(client.files.import(fileOf('- '.repeat(50_000)), { format: 'agently' }).result).rejects.toMatchObject({
    name: 'InvalidInput',
  })
  await expect(client.files.export('agently', { keys: ['missing'] }).result).rejects.toMatchObject({
    name: 'SessionNotFound',
  })
  await expect(client.files.import('text' as unknown as Blob, { format: 'agently' }).result).rejects.toThrow(TypeError)
  expect((await client.listSessions()).total).toBe(0)
})

it.each(['worker', 'in-page'] as const)('stops when it is asked to, and leaves nothing (%s)', async (mode) => {
  const client = await open(mode)
  await expect(
    client.files.import(fileOf(stateOf(4)), { format: 'agently', signal: AbortSignal.abort() }).result,
  ).rejects.toMatchObject({ name: 'Aborted' })
  const ending = new AbortController()
  const job = client.files.import(fileOf(stateOf(4000)), { format: 'agently', signal: ending.signal })
  await expect(
    (async () => {
      for await (const { entries } of job) if (entries > 0) ending.abort()
    })(),
  ).rejects.toMatchObject({ name: 'Aborted' })
  expect((await client.listSessions()).total).toBe(0)
  await client.files.import(fileOf(stateOf(4)), { format: 'agently' }).result
  await expect(
    client.files.export('agently', { keys: ['abc'], signal: AbortSignal.abort() }).result,
  ).rejects.toMatchObject({ name: 'Aborted', message: expect.stringContaining('export') })
})
