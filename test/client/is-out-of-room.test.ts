import { afterEach, expect, it, vi } from 'vitest'
import { isOutOfRoom } from '../../src/client/upkeep/is-out-of-room.ts'

afterEach(() => vi.useRealTimers())

/** A folder whose files end writing so. */
function folderOf(write: () => Promise<void>, removed: string[] = []): () => Promise<FileSystemDirectoryHandle> {
  const file = { createWritable: async () => ({ write, close: async () => undefined }) }
  return async () =>
    ({
      getFileHandle: async () => file,
      removeEntry: async (name: string) => void removed.push(name),
    }) as unknown as FileSystemDirectoryHandle
}

it('tells no room from what else can go wrong', async () => {
  const failing = (name: string) => async (): Promise<never> => {
    throw new DOMException('Some words.', name)
  }
  expect(await isOutOfRoom(folderOf(failing('QuotaExceededError')))).toBe(true)
  // As Chromium says it now and then.
  expect(await isOutOfRoom(folderOf(failing('AbortError')))).toBe(true)
  expect(await isOutOfRoom(folderOf(async () => undefined))).toBe(false)
  expect(await isOutOfRoom(failing('QuotaExceededError'))).toBe(true)
  expect(await isOutOfRoom(failing('SecurityError'))).toBe(false)
  // Node has no such files.
  expect(await isOutOfRoom()).toBe(false)
})

it('leaves nothing behind, with room or without', async () => {
  const removed: string[] = []
  await isOutOfRoom(folderOf(async () => undefined, removed))
  await isOutOfRoom(folderOf(() => Promise.reject(new Error('Some words.')), removed))
  expect(removed).toHaveLength(2)
})

it('does not wait for a browser that gives no answer', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const asked = isOutOfRoom(folderOf(() => new Promise(() => undefined)))
  await vi.advanceTimersByTimeAsync(2000)
  expect(await asked).toBe(false)
})
