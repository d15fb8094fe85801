import { afterEach, expect, it, vi } from 'vitest'
import type { ExportFormat } from '../../src/contract/job.ts'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { exportFiles } from '../../src/files/export-files.ts'
import { exportArchive } from '../../src/formats/export-archive.ts'
import { zipFiles } from '../../src/formats/zip-files.ts'
import { openStore } from './support/picoclaw-files.ts'

vi.setConfig({ testTimeout: 60_000 })
afterEach(() => void vi.restoreAllMocks())

/** A store with one session, of more messages than a page of any reader has. */
async function longStore(count = 5000): Promise<SessionStore> {
  const store = openStore()
  await store.append(
    'k',
    Array.from({ length: count }, (_, i) => ({
      type: 'message' as const,
      message: { role: i % 2 === 0 ? 'user' : 'assistant', content: `${i}` },
    })),
  )
  return store
}

it.each(['openai', 'openai-lines', 'markdown', 'picoclaw', 'agently', 'agently-yaml'] as const)(
  'an export to %s that is cancelled within a session reads no further page',
  async (format) => {
    const store = await longStore()
    const ending = new AbortController()
    let pages = 0
    const read: SessionStore['read'] = async (...args) => {
      pages += 1
      const page = await store.read(...args)
      ending.abort()
      return page
    }
    await expect(exportFiles({ ...store, read }, format, { signal: ending.signal })).rejects.toMatchObject({
      name: 'Aborted',
    })
    expect(pages).toBe(1)
  },
)

it.each(['pi', 'ai-panel', 'aixgo', 'archive'] as const satisfies readonly ExportFormat[])(
  'an export to %s that is cancelled within a session reads no further page of its log',
  async (format) => {
    const store = await longStore()
    const ending = new AbortController()
    let pages = 0
    const changes: SessionStore['changes'] = async (...args) => {
      pages += 1
      const page = await store.changes(...args)
      ending.abort()
      return page
    }
    await expect(exportFiles({ ...store, changes }, format, { signal: ending.signal })).rejects.toMatchObject({
      name: 'Aborted',
    })
    expect(pages).toBe(1)
  },
)

it.each(['pi', 'ai-panel', 'aixgo', 'archive'] as const satisfies readonly ExportFormat[])(
  'an export to %s that is cancelled after it read a session ends at its next pause',
  async (format) => {
    const store = await longStore(500)
    const ending = new AbortController()
    const changes: SessionStore['changes'] = async (...args) => {
      const page = await store.changes(...args)
      ending.abort()
      return page
    }
    // Each line takes so long that a pause follows it.
    let now = 0
    const looks = vi.spyOn(performance, 'now').mockImplementation(() => (now += 10))
    await expect(exportFiles({ ...store, changes }, format, { signal: ending.signal })).rejects.toMatchObject({
      name: 'Aborted',
    })
    expect(looks.mock.calls.length).toBeLessThan(50)
  },
)

it('an archive that is cancelled as it tells how far it is writes no further line', async () => {
  const store = await longStore(20_000)
  const ending = new AbortController()
  const onProgress = vi.fn(() => ending.abort())
  await expect(async () => {
    for await (const _ of exportArchive(store, { signal: ending.signal, onProgress }));
  }).rejects.toMatchObject({ name: 'Aborted' })
  expect(onProgress).toHaveBeenCalledTimes(1)
})

it('a zip that is cancelled while a file is packed ends', async () => {
  async function* files() {
    yield { path: 'a.md', blob: new Blob(['a']) }
    yield { path: 'b.md', blob: new Blob(['b']) }
  }
  await expect(zipFiles(files(), AbortSignal.abort())).rejects.toMatchObject({ name: 'Aborted' })
})
