import type { VersionVector } from '../contract/entry.ts'
import type { PurgeRecord, SessionStore } from '../contract/store.ts'
import { includesVector, joinVectors } from '../domain/version-vector.ts'
import { createTaskQueue } from './task-queue.ts'

/** What was purged here and is not told yet, or may still be on the server. The store remembers it, so that it outlives whoever syncs; what is merely gone from there was not purged. */
export interface UntoldPurges {
  all(): readonly PurgeRecord[]
  /** How much was known of what was purged under this key. */
  get(key: string): VersionVector | undefined
  /** Notes one that was just heard of. */
  add(purge: PurgeRecord): void
  /** Asks the store. */
  load(): Promise<void>
  isLoading(): boolean
  /** Everybody knows that so much was purged, and the server has nothing of it any more. */
  forget(purge: PurgeRecord): Promise<void>
}

export function createUntoldPurges(store: Pick<SessionStore, 'listPurges' | 'forgetPurges'>): UntoldPurges {
  const untold = new Map<string, VersionVector>()
  const queue = createTaskQueue()
  /** Asks once for all who want to know before it has begun. */
  let next: Promise<void> | undefined
  let isAsking = false
  const add = ({ key, vector }: PurgeRecord): void => void untold.set(key, joinVectors(untold.get(key) ?? {}, vector))
  return {
    all: () => [...untold].map(([key, vector]) => ({ key, vector })),
    get: (key) => untold.get(key),
    add,
    load: () =>
      (next ??= queue.run(async () => {
        next = undefined
        isAsking = true
        try {
          for (const purge of await store.listPurges()) add(purge)
        } finally {
          isAsking = false
        }
      })),
    isLoading: () => isAsking || next !== undefined,
    forget: async (purge) => {
      await store.forgetPurges([purge])
      if (includesVector(purge.vector, untold.get(purge.key) ?? {})) untold.delete(purge.key)
    },
  }
}
