import { encodeStateAsUpdate } from 'yjs'
import type { KeyScope } from './key-scope.ts'
import type { SyncMemory } from './sync-memory.ts'

export interface ListSaver {
  /** Saves it soon, together with other changes. */
  saveSoon(): void
  /** Saves it now. Never rejects. */
  saveNow(): Promise<void>
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
  const saveNow = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    const { index, blobs, keys } = our()
    await memory
      ?.save({
        index: encodeStateAsUpdate(index.doc),
        blobs: [...new Set([...blobs.open(), ...leftBlobs()])],
        ...(keys === undefined ? {} : { keyId: keys.id }),
      })
      .catch(onError)
  }
  return { saveSoon: () => (timer ??= setTimeout(saveNow, gatherMs)), saveNow }
}
