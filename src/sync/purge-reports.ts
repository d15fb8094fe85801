import type { PurgeRecord, SessionStore } from '../contract/store.ts'
import { includesVector, joinVectors } from '../domain/version-vector.ts'
import { createTaskQueue } from './task-queue.ts'

/** What was purged here and is not told yet, or may still be on the server. The store remembers it, so that it outlives whoever syncs; what is merely gone from there was not purged. */
export interface UntoldPurges {
  all(): readonly PurgeRecord[]
  /** What was purged under this key. */
  get(key: string): PurgeRecord | undefined
  /** Notes one that was just heard of. */
  add(purge: PurgeRecord): void
  /** Asks the store. */
  load(): Promise<void>
  isLoading(): boolean
  /** Everybody knows that so much was purged, and the server has nothing of it any more. */
  forget(purge: PurgeRecord): Promise<void>
}

export function createUntoldPurges(store: Pick<SessionStore, 'listPurges' | 'forgetPurges'>): UntoldPurges {
  const untold = new Map<string, PurgeRecord>()
  const queue = createTaskQueue()
  /** Asks once for all who want to know before it has begun. */
  let next: Promise<void> | undefined
  let isAsking = false
  const add = ({ key, vector, life = 0 }: PurgeRecord): void => {
    const before = untold.get(key)
    const latest = Math.max(life, before?.life ?? 0)
    untold.set(key, { key, vector: joinVectors(before?.vector ?? {}, vector), ...(latest === 0 ? {} : { life: latest }) })
  }
  return {
    all: () => [...untold.values()],
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
      const { vector = {}, life = 0 } = untold.get(purge.key) ?? {}
      if (life <= (purge.life ?? 0) && includesVector(purge.vector, vector)) untold.delete(purge.key)
    },
  }
}
