import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import * as Y from 'yjs'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'
import { emptyRetired } from '../../src/sync/empty-retired.ts'
import { fetchSession } from '../../src/sync/fetch-session.ts'
import type { SyncLink, SyncTransport } from '../../src/sync/link.ts'
import { plainElements } from '../../src/sync/plain-elements.ts'
import { openSyncDocument } from '../../src/sync/sync-document.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const never = new AbortController().signal
/** Longer than the first two waits. */
const aWhile = 10_000

/** A server that answers each question but the first ones, which are lost. */
function forgetful(lost: number, answer: (link: SyncLink) => void): { transport: SyncTransport; asked(): number } {
  let asked = 0
  const transport: SyncTransport = {
    open: (link) => ({
      ask: () => {
        asked += 1
        if (asked > lost) answer(link)
      },
      close: async () => undefined,
    }),
    close: async () => undefined,
  }
  return { transport, asked: () => asked }
}

it('a document is emptied where the answers to the first questions were lost', async () => {
  const full = new Y.Doc()
  full.getArray('w:1').push(['old'])
  const { transport, asked } = forgetful(2, (link) => {
    void link.receive(Y.encodeStateAsUpdate(full), transport)
    link.peerHas(Y.encodeStateVector(full))
  })
  const emptied = emptyRetired({ transport, signal: never, name: 'old', isElsewhere: () => true })
  await vi.advanceTimersByTimeAsync(aWhile * 4)
  await emptied
  expect(asked()).toBeGreaterThan(2)
  full.destroy()
})

it('a session whose entries depend on others that nobody sends is given up, and is not waited for for ever', async () => {
  const store = createSessionStore(createMemoryBackend())
  for (const text of ['one', 'two']) await store.addMessage('s', 'user', text)
  const whole = await openSyncDocument({ store, key: 's', name: 's', elements: plainElements })
  const [one] = Object.keys(whole.vector())
  // Its first entry was deleted there, and no purge says so.
  const damaged = new Y.Doc()
  Y.applyUpdate(damaged, Y.encodeStateAsUpdate(whole.doc))
  damaged.getArray(`w:${one}`).delete(0)
  const { transport } = forgetful(0, (link) => {
    link.peerHas(Y.encodeStateVector(damaged))
    void link.receive(Y.encodeStateAsUpdate(damaged), transport)
  })
  const empty = createSessionStore(createMemoryBackend())
  const fetched = fetchSession({
    ...{ store: empty, key: 's', name: 's', elements: plainElements },
    ...{ transport, signal: never },
  })
  const refused = expect(fetched).rejects.toThrow('depend on others that nobody sends')
  await vi.advanceTimersByTimeAsync(60_000)
  await refused
  await whole.close()
  damaged.destroy()
  await Promise.all([store.close(), empty.close()])
})
