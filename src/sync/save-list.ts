import { encodeStateAsUpdate } from 'yjs'
import type { KeyScope } from './key-scope.ts'
import type { SyncMemory } from './sync-memory.ts'

export interface ListSaver {
  /** Saves it soon, together with other changes. */
  saveSoon(): void
  /** Saves it now. Never rejects. @returns whether it is saved, or nothing is saved here at all */
  saveNow(): Promise<boolean>
}

/**
 * Saves the list, and the blobs that are not copied yet, for the next start.
 *
 * @param leftBlobs - those that an earlier run left, and that this one has not begun to copy
 */
export function createListSaver(
  memory: SyncMemory | undefined,
  our: () => KeyScope,
  leftBlobs: () => readonly string[],
  gatherMs: number,
  onError: (error: unknown) => void,
): ListSaver {
  let timer: ReturnType<typeof setTimeout> | undefined
  const saveNow = async (): Promise<boolean> => {
    clearTimeout(timer)
    timer = undefined
    const { index, blobs, keys } = our()
    try {
      await memory?.save({
        index: encodeStateAsUpdate(index.doc),
        blobs: [...new Set([...blobs.open(), ...leftBlobs()])],
        ...(keys === undefined ? {} : { keyId: keys.id }),
      })
      return true
    } catch (error) {
      onError(error)
      return false
    }
  }
  return { saveSoon: () => (timer ??= setTimeout(saveNow, gatherMs)), saveNow }
}
