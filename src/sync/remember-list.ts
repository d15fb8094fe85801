import { encodeStateAsUpdate } from 'yjs'
import type { SyncMemory } from './sync-memory.ts'
import type { UnderKey } from './under-key.ts'

export interface ListRememberer {
  /** Soon, with what else changes by then. */
  soon(): void
  /** Never rejects. */
  now(): Promise<void>
}

/** Keeps the list, and what was not carried yet, for the next start. */
export function createListRememberer(memory: SyncMemory | undefined, our: () => UnderKey, gatherMs: number, onError: (error: unknown) => void): ListRememberer {
  let timer: ReturnType<typeof setTimeout> | undefined
  const now = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    const { index, blobs, keys } = our()
    await memory?.save({ index: encodeStateAsUpdate(index.doc), blobs: blobs.open(), ...(keys === undefined ? {} : { keyId: keys.id }) }).catch(onError)
  }
  return { soon: () => (timer ??= setTimeout(now, gatherMs)), now }
}
