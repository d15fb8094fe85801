import { afterEach, expect, it, vi } from 'vitest'
import { deleteSessionStore, openSessionStore } from '../../src/index.ts'

let restore: () => void = () => undefined
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  restore()
})

/** The keys of a store with a conversation in Web Storage. */
async function storeInWebStorage(): Promise<{ readonly name: string; readonly keys: () => readonly string[] }> {
  const name = `delete-${crypto.randomUUID()}`
  const keys = () => Object.keys(localStorage).filter((key) => key.startsWith(`keepsession:${name}:`))
  const client = await openSessionStore({ name, modes: ['web-storage'] })
  await client.store.addMessage('k', 'user', 'a secret')
  await client.close()
  expect(keys()).not.toEqual([])
  return { name, keys }
}

it('erases what is in Web Storage where there is no IndexedDB', async () => {
  const { name, keys } = await storeInWebStorage()
  vi.stubGlobal('indexedDB', undefined)
  await deleteSessionStore(name)
  expect(keys()).toEqual([])
})

/** IndexedDB with another way to delete. */
function stubDeletion(deleteDatabase: () => object): void {
  vi.stubGlobal('indexedDB', { deleteDatabase })
}

it.each<[string, () => void]>([
  [
    'refuses a deletion',
    () =>
      stubDeletion(() => {
        const request = { onerror: () => undefined, error: new DOMException('no disk', 'UnknownError') }
        setTimeout(() => request.onerror())
        return request
      }),
  ],
  [
    'throws at a deletion',
    () =>
      stubDeletion(() => {
        throw new DOMException('not here', 'SecurityError')
      }),
  ],
  [
    'may not be touched',
    () => {
      const { indexedDB } = globalThis
      Object.defineProperty(globalThis, 'indexedDB', {
        configurable: true,
        get: () => {
          throw new DOMException('not here', 'SecurityError')
        },
      })
      restore = () => Object.defineProperty(globalThis, 'indexedDB', { configurable: true, get: () => indexedDB })
    },
  ],
])('erases what is in Web Storage also where IndexedDB %s, and says that it failed', async (_, fail) => {
  const { name, keys } = await storeInWebStorage()
  fail()
  await expect(deleteSessionStore(name)).rejects.toMatchObject({ name: 'StorageUnavailable' })
  expect(keys()).toEqual([])
})

it('says what IndexedDB says where locks are refused, too', async () => {
  vi.spyOn(navigator.locks, 'query').mockRejectedValue(new DOMException('no locks', 'SecurityError'))
  stubDeletion(() => {
    throw new DOMException('not here', 'SecurityError')
  })
  await expect(deleteSessionStore(`delete-${crypto.randomUUID()}`)).rejects.toMatchObject({
    name: 'StorageUnavailable',
    message: expect.stringContaining('not here'),
  })
})
