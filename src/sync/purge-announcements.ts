import type { PurgeRecord } from '../contract/store/log-exchange.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import { createPurgeRecords } from './purge-records.ts'
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
   * The store has reported that a session was erased, and is asked next what of it. What was known of it here is
   * announced only if the store has nothing under this key then: a session that was begun anew must not be erased.
   */
  expect(key: string, known: PurgeRecord | undefined): void
  /** Whether the store has not been asked yet what was purged under this key. */
  isExpected(key: string): boolean
  /** Loads them from the store. */
  load(): Promise<void>
  isLoading(): boolean
  /**
   * The first life whose document the server may still have to empty of what was purged: what was said in earlier lives
   * was purged with the last one.
   */
  dueLife(key: string): number | undefined
  /**
   * Everybody knows that this much was purged, and the server has nothing of it any more in the document of this life.
   * After the last life it is forgotten.
   */
  emptied(purge: PurgeRecord): Promise<void>
}

/** A session of which the store is to be asked how much of it was purged. */
interface Expected {
  readonly key: string
  readonly known: PurgeRecord | undefined
}

export function createPurgeAnnouncements(
  store: Pick<SessionStore, 'listPurges' | 'forgetPurges' | 'getVector'>,
): PurgeAnnouncements {
  const records = createPurgeRecords()
  const expected = new Map<string, Expected>()
  const queue = createTaskQueue()
  /** One load for all callers that ask before it starts. */
  let next: Promise<void> | undefined
  let isAsking = false
  /** A session that can't be read is there, and must not be in the way of the others. */
  const isMissing = (key: string): Promise<boolean> =>
    store.getVector(key, { isKey: true }).then(
      (vector) => vector === undefined,
      () => false,
    )
  /** A store without room remembers no purge: then what was known of the session counts. */
  const settle = async (one: Expected): Promise<void> => {
    const { key, known } = one
    const isGone = known !== undefined && (await isMissing(key))
    if (expected.get(key) !== one) return
    expected.delete(key)
    if (isGone) records.add(known)
  }
  return {
    all: records.all,
    get: records.get,
    dueLife: records.dueLife,
    expect: (key, known) => void expected.set(key, { key, known: known ?? expected.get(key)?.known }),
    isExpected: (key) => expected.has(key),
    load: () =>
      (next ??= queue.run(async () => {
        next = undefined
        isAsking = true
        try {
          const asked = [...expected.values()]
          for (const purge of await store.listPurges()) records.add(purge)
          await Promise.all(asked.map(settle))
        } finally {
          isAsking = false
        }
      })),
    isLoading: () => isAsking || next !== undefined,
    emptied: async (purge) => {
      if (!records.isLastLife(purge)) return records.emptied(purge)
      await store.forgetPurges([purge])
      // More of it may have been purged meanwhile.
      if (records.isLastLife(purge)) records.emptied(purge)
    },
  }
}
