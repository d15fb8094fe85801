import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import * as Y from 'yjs'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'
import { emptyRetired } from '../../src/sync/empty-retired.ts'
import { drawRootKey } from '../../src/sync/encryption/root-key.ts'
import { openSyncKeys } from '../../src/sync/encryption/sync-keys.ts'
import { fetchSession } from '../../src/sync/fetch-session.ts'
import type { SyncLink, SyncTransport } from '../../src/sync/link.ts'
import { plainElements } from '../../src/sync/plain-elements.ts'
import { openRotationList, type RotationList } from '../../src/sync/rotation-list.ts'
import { openSyncDocument } from '../../src/sync/sync-document.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const never = new AbortController().signal
/** Longer than the first two waits. */
const aWhile = 10_000

interface Forgetful {
  readonly transport: SyncTransport
  asked(): number
}

/** A server that answers each question but these, which are lost: the first ones, by their number. */
function forgetful(lost: number | ((asked: number) => boolean), answer: (link: SyncLink) => void): Forgetful {
  const isLost = typeof lost === 'number' ? (asked: number) => asked <= lost : lost
  let asked = 0
  const transport: SyncTransport = {
    open: (link) => ({
      ask: () => {
        asked += 1
        if (!isLost(asked)) answer(link)
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

it.each([3, 4])('a document is emptied where the answer to question %i was lost', async (lost) => {
  const full = new Y.Doc()
  full.getArray('w:1').push(['old'])
  const isLost = (asked: number): boolean => asked === 1 || asked === lost
  const { transport } = forgetful(isLost, (link) => {
    void link.receive(Y.encodeStateAsUpdate(full), transport)
    link.peerHas(Y.encodeStateVector(full))
  })
  const emptied = emptyRetired({ transport, signal: never, name: 'old', isElsewhere: () => true })
  await vi.advanceTimersByTimeAsync(60_000)
  await expect(emptied).resolves.toBeUndefined()
  full.destroy()
})

/** The list while the key is changed, over this connection. */
async function listOver(transport: SyncTransport): Promise<RotationList> {
  const [from, to] = await Promise.all([openSyncKeys(drawRootKey(), 'me'), openSyncKeys(drawRootKey(), 'me')])
  const state = Y.encodeStateAsUpdate(new Y.Doc())
  return openRotationList({
    ...{ transport, namespace: 'me', state, from, to, signal: never },
    ...{ retry: { first: 1, longest: 1, random: () => 0 }, now: Date.now },
  })
}

it.each([1, 2])('the list is confirmed where all answers to eight questions from number %i on were lost', async (n) => {
  const { transport, asked } = forgetful(
    (asked) => asked >= n && asked < n + 8,
    (link) => link.peerHas(Y.encodeStateVector(link.doc)),
  )
  const list = await listOver(transport)
  const confirmed = Promise.all(Array.from({ length: 8 }, list.confirmed))
  await vi.advanceTimersByTimeAsync(60_000)
  await confirmed
  expect(asked()).toBeLessThanOrEqual(24)
  await list.close()
})

it('the list is not waited for where it may only be read', async () => {
  const { transport } = forgetful(0, (link) => link.status({ state: 'readonly' }))
  const list = await listOver(transport)
  await expect(list.confirmed()).rejects.toMatchObject({ name: 'AccessDenied' })
  await list.close()
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
