import type { PurgeRecord } from '../contract/store/log-exchange.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import { includesVector, joinVectors } from '../domain/version-vector.ts'
import { createTaskQueue } from './task-queue.ts'

/**
 * What was purged here and is not reported yet, or may still be on the server. The store remembers it across runs. A
 * session that is merely missing from the store was not purged.
 */
export interface PurgeAnnouncements {
  all(): readonly PurgeRecord[]
  /** What was purged under this key. */
  get(key: string): PurgeRecord | undefined
  /**
   * The store has reported that a session was erased. What was known of it is announced once the store has been asked,
   * and only if it has nothing under this key any more: a session that was begun anew meanwhile must not be erased.
   */
  expect(purge: PurgeRecord): void
  /** Whether the store has not been asked yet what was purged under this key. */
  isExpected(key: string): boolean
  /** Loads them from the store. */
  load(): Promise<void>
  isLoading(): boolean
  /** Everybody knows that this much was purged, and the server has nothing of it any more. */
  forget(purge: PurgeRecord): Promise<void>
}

export function createPurgeAnnouncements(
  store: Pick<SessionStore, 'listPurges' | 'forgetPurges' | 'getVector'>,
): PurgeAnnouncements {
  const unreported = new Map<string, PurgeRecord>()
  const expected = new Map<string, PurgeRecord>()
  const queue = createTaskQueue()
  /** One load for all callers that ask before it starts. */
  let next: Promise<void> | undefined
  let isAsking = false
  const add = ({ key, vector, life = 0 }: PurgeRecord): void => {
    const before = unreported.get(key)
    const latest = Math.max(life, before?.life ?? 0)
    unreported.set(key, {
      key,
      vector: joinVectors(before?.vector ?? {}, vector),
      ...(latest === 0 ? {} : { life: latest }),
    })
  }
  /** A store without room remembers no purge: then what was known of the session counts. */
  const settle = async (purge: PurgeRecord): Promise<void> => {
    const isGone = (await store.getVector(purge.key, { isKey: true })) === undefined
    if (expected.get(purge.key) !== purge) return
    expected.delete(purge.key)
    if (isGone) add(purge)
  }
  return {
    all: () => [...unreported.values()],
    get: (key) => unreported.get(key),
    expect: (purge) => void expected.set(purge.key, purge),
    isExpected: (key) => expected.has(key),
    load: () =>
      (next ??= queue.run(async () => {
        next = undefined
        isAsking = true
        try {
          const asked = [...expected.values()]
          for (const purge of await store.listPurges()) add(purge)
          await Promise.all(asked.map(settle))
        } finally {
          isAsking = false
        }
      })),
    isLoading: () => isAsking || next !== undefined,
    forget: async (purge) => {
      await store.forgetPurges([purge])
      const { vector = {}, life = 0 } = unreported.get(purge.key) ?? {}
      if (life <= (purge.life ?? 0) && includesVector(purge.vector, vector)) unreported.delete(purge.key)
    },
  }
}
