import type { Entry, VersionVector } from '../contract/entry.ts'
import type { MergeResult } from '../contract/store/log-exchange.ts'
import { entryId, writerKey } from '../domain/address.ts'
import { joinVectors } from '../domain/version-vector.ts'
import type { SyncStore } from './sync-contract.ts'

export interface ConnectedStoreOptions {
  /** What the session has. */
  readonly having: VersionVector
  readonly isClosed: () => boolean
  /** What was purged under its key, and no other log may bring with it. */
  readonly without?: VersionVector | undefined
  /** Told how far the writers are whose entries were taken in. */
  readonly onAccepted?: (accepted: VersionVector) => void
}

type ExchangeStore = Pick<SyncStore, 'changes' | 'merge' | 'flush'>

/**
 * The store as a connected session uses it: only for the session that was there when it was connected. What was erased
 * must not get into a session that is begun anew under its key. So nothing more is read or taken in once the connection
 * is closed. Where sync has not heard yet that the session was erased, the store refuses what comes (ParentMoved).
 */
export function connectedStore(
  { changes, merge, flush }: ExchangeStore,
  { having, isClosed, without, onAccepted }: ConnectedStoreOptions,
): ExchangeStore {
  let has = having
  const refuseClosed = (): void => {
    if (isClosed()) throw new Error('The connection of this session was closed.')
  }
  return {
    flush,
    changes: async (...asked) => {
      refuseClosed()
      return changes(...asked)
    },
    merge: async (key, entries, options) => {
      refuseClosed()
      const result = await merge(key, entries, { ...options, having: has, ...(without && { without }) })
      const accepted = acceptedOf(entries, result)
      has = joinVectors(has, accepted)
      onAccepted?.(accepted)
      return result
    },
  }
}

function acceptedOf(entries: readonly Entry[], { refused }: MergeResult): VersionVector {
  const out = new Set(refused.map(({ id }) => id))
  const accepted: Record<string, number> = {}
  for (const { w, s } of entries) {
    if (out.has(entryId(w, s))) continue
    const writer = writerKey(w)
    accepted[writer] = Math.max(accepted[writer] ?? 0, s + 1)
  }
  return accepted
}
