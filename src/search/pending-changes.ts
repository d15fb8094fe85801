import type { SessionChange } from '../contract/change.ts'
import type { KnownVersions } from '../contract/search.ts'
import type { IndexedSession } from './index-blocks.ts'

/** Commits of a session that were announced and are not indexed yet. */
export interface PendingChange {
  /** The session's number; 0 when the session must be read to know. */
  readonly session: number
  /** Version of the last of them; 0 when the session must be read to know. */
  readonly version: number
  /** The rows they appended: orders by branch. */
  readonly rows: ReadonlyMap<string, ReadonlySet<string>>
  /** Whether they did more than append rows. */
  readonly reload: boolean
  /** Whether a commit in between was missed. */
  readonly isGap: boolean
}

/** The changes that wait to be indexed. */
export interface PendingChanges {
  /** @returns whether the change was news */
  add(change: SessionChange): boolean
  /** Changes of a session were missed, so that all of it must be read. */
  addMissed(key: string): void
  isEmpty(): boolean
  /** Whether this version of a session is indexed, or is pending. */
  isKnown(known: KnownVersions[number]): boolean
  /** Takes all changes for a pass. The pass deletes each of them when it is indexed. */
  take(): Map<string, PendingChange>
  /** Ends a pass. Sessions whose change it has not deleted are read again, completely. */
  endPass(): void
}

const unknownChange: PendingChange = { session: 0, version: 0, rows: new Map(), reload: true, isGap: true }

/** @param indexed - what is indexed of a key */
export function createPendingChanges(
  indexed: (key: string) => Pick<IndexedSession, 'number' | 'version'> | undefined,
): PendingChanges {
  let pending = new Map<string, PendingChange>()
  /** The changes that the running pass has taken and not finished yet. */
  let taken = new Map<string, PendingChange>()

  /** The version that is known of a session; `undefined` where another one, or none, is known under its key. */
  function knownVersion(key: string, session: number): number | undefined {
    const change = pending.get(key) ?? taken.get(key)
    const { number, version } = change === undefined ? (indexed(key) ?? {}) : { ...change, number: change.session }
    return number === session ? version : undefined
  }
  const addMissed = (key: string): void => void pending.set(key, unknownChange)

  return {
    add: (change) => {
      const waiting = pending.get(change.key)
      // Changes of a session that was erased may be heard after those of the one that was begun anew.
      const version = knownVersion(change.key, change.session)
      const isGone = change.listing === undefined
      if (!isGone && version !== undefined && change.version <= version) return false
      const isNext = !isGone && change.version === (version ?? NaN) + 1
      if (!isNext || waiting?.isGap) {
        addMissed(change.key)
      } else {
        const rows = new Map([...(waiting?.rows ?? [])].map(([branch, orders]) => [branch, new Set(orders)]))
        for (const { branch, order } of change.rows) rows.set(branch, (rows.get(branch) ?? new Set()).add(order))
        pending.set(change.key, {
          session: change.session,
          version: change.version,
          rows,
          reload: change.reload || (waiting?.reload ?? false),
          isGap: false,
        })
      }
      return true
    },
    addMissed,
    isEmpty: () => pending.size === 0,
    isKnown: ([key, version, session]) =>
      pending.get(key)?.isGap === true || (knownVersion(key, session) ?? -1) >= version,
    take: () => {
      taken = pending
      pending = new Map()
      return taken
    },
    endPass: () => {
      for (const key of taken.keys()) addMissed(key)
      taken = new Map()
    },
  }
}
