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
   * The store has reported that a session was erased, and is asked next what of it. What was known of it here is
   * announced only if the store has nothing under this key then: a session that was begun anew must not be erased.
   */
  expect(key: string, known: PurgeRecord | undefined): void
  /** Whether the store has not been asked yet what was purged under this key. */
  isExpected(key: string): boolean
  /** All that is here of a session continues in a later life: the server need not keep it in this one. */
  addPast(past: PurgeRecord): void
  /** Loads them from the store. */
  load(): Promise<void>
  isLoading(): boolean
  /** Everybody knows that this much was purged, and the server has nothing of it any more. */
  forget(purge: PurgeRecord): Promise<void>
}

/** A session of which the store is to be asked how much of it was purged. */
interface Expected {
  readonly key: string
  readonly known: PurgeRecord | undefined
}

export function createPurgeAnnouncements(
  store: Pick<SessionStore, 'listPurges' | 'forgetPurges' | 'getVector'>,
): PurgeAnnouncements {
  const unreported = new Map<string, PurgeRecord>()
  const expected = new Map<string, Expected>()
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
    if (isGone) add(known)
  }
  return {
    all: () => [...unreported.values()],
    get: (key) => unreported.get(key),
    expect: (key, known) => void expected.set(key, { key, known: known ?? expected.get(key)?.known }),
    isExpected: (key) => expected.has(key),
    addPast: add,
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
