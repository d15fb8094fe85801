import { afterEach, expect, it, vi } from 'vitest'
import type { ExportedFile, SessionClient } from '../../src/client/client-contract.ts'
import type { StoreMode } from '../../src/client/open-options.ts'
import { openSessionStore } from '../../src/client/opening/open-session-store.ts'
import type { JobProgress } from '../../src/contract/job.ts'
import { hasOpfs, needsOpfs } from '../support/opfs.ts'

vi.setConfig({ testTimeout: 60_000 })

const clients: SessionClient[] = []
async function open(mode: StoreMode): Promise<SessionClient> {
  const client = await openSessionStore({ name: `picoclaw-${crypto.randomUUID()}`, modes: [mode] })
  clients.push(client)
  return client
}
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})

const line = (content: string): string =>
  `${JSON.stringify({ role: 'user', content, created_at: '2026-01-01T10:00:00.123456789Z' })}\n`
const meta = JSON.stringify({
  key: 'a:b',
  summary: 'S',
  skip: 1,
  count: 2,
  created_at: '2026-01-01T10:00:00Z',
  updated_at: '2026-01-01T10:00:00.2Z',
})
const files = [
  new File([line('one'), line('two')], 'a_b.jsonl'),
  new File([meta], 'a_b.meta.json'),
  new File(['{'], 'broken.json'),
]

const all = (client: SessionClient, as: 'files' | 'zip'): Promise<readonly ExportedFile[]> =>
  client.files.export('picoclaw', { as }).result

it.each(['worker', 'inline-worker', 'in-page', 'web-storage', 'memory'] as const)(
  'imports a list of files where the store is %s, and exports it',
  async (mode) => {
    localStorage.clear()
    const client = await open(mode)
    const seen: JobProgress[] = []
    const job = client.files.import(files, { format: 'picoclaw' })
    for await (const progress of job) seen.push(progress)
    expect(await job.result).toMatchObject({ keys: ['a:b'], added: 2, skipped: [{ file: 'broken.json' }] })
    expect(seen.at(-1)).toMatchObject({ entries: 2, skipped: 1 })
    expect((await client.store.getHistory('a:b')).map(({ content }) => content)).toEqual(['two'])
    expect(await client.files.import(files, { format: 'picoclaw' }).result).toMatchObject({ added: 0, known: 2 })
    expect(
      await Promise.all((await all(client, 'files')).map(async ({ path, blob }) => [path, await blob.text()])),
    ).toEqual([
      ['a_b.jsonl', line('one') + line('two')],
      ['a_b.meta.json', JSON.stringify(JSON.parse(meta), null, 2)],
    ])
  },
)

it.each(['worker', 'in-page'] as const)('imports a zip (%s)', async (mode) => {
  const [one, two] = [await open(mode), await open(mode)]
  await one.files.import(files, { format: 'picoclaw' }).result
  const [zip] = await all(one, 'zip')
  expect(await two.files.import(zip!.blob, { format: 'picoclaw' }).result).toMatchObject({
    keys: ['a:b'],
    added: 2,
    skipped: [],
  })
  expect((await two.store.getHistory('a:b')).map(({ content }) => content)).toEqual(['two'])
})

it.skipIf(!hasOpfs)(`imports a directory with those below it, and leaves it as it is${needsOpfs}`, async () => {
  const root = await navigator.storage.getDirectory()
  const top = await root.getDirectoryHandle(`workspace-${crypto.randomUUID()}`, { create: true })
  const sessions = await top.getDirectoryHandle('sessions', { create: true })
  for (const file of files) {
    const writable = await (await sessions.getFileHandle(file.name, { create: true })).createWritable()
    await writable.write(file)
    await writable.close()
  }
  const client = await open('worker')
  expect(await client.files.import(top, { format: 'picoclaw' }).result).toMatchObject({
    keys: ['a:b'],
    added: 2,
    skipped: [{ file: 'sessions/broken.json' }],
  })
  for (const file of files)
    expect(await (await (await sessions.getFileHandle(file.name)).getFile()).text()).toBe(await file.text())
  await root.removeEntry(top.name, { recursive: true })
})

it('refuses anything else, and stops when it is asked to', async () => {
  const client = await open('worker')
  await expect(client.files.import(3 as unknown as Blob, { format: 'picoclaw' }).result).rejects.toThrow(TypeError)
  await expect(client.files.import(new Blob(['no zip']), { format: 'picoclaw' }).result).rejects.toMatchObject({
    name: 'InvalidInput',
  })
  await expect(
    client.files.import(files, { format: 'picoclaw', signal: AbortSignal.abort() }).result,
  ).rejects.toMatchObject({ name: 'Aborted' })
  expect((await client.listSessions()).total).toBe(0)
})
