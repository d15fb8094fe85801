import type { StoreChange } from '../contract/change.ts'
import { counted } from './describe-values.ts'

/** How many changes are kept. */
const kept = 2_000
/** Entries older than this were not written just now: imported, synced, or by another clock. */
const freshMs = 60_000

/** One change of the store, as this tab learned of it. */
export interface RecordedCommit {
  /** When this tab learned of it, in milliseconds since 1970. */
  readonly at: number
  readonly kind: StoreChange['type']
  /** The session or the collection; `''` for a notice. */
  readonly key: string
  readonly text: string
  /** Version of the session. */
  readonly version?: number
  /** How many commits before it this tab was not told of. */
  readonly missed: number
  /**
   * Milliseconds from when its newest entry was made until this tab learned that it is stored. Absent where no entry
   * says it.
   */
  readonly tookMs?: number
  readonly isStrict: boolean
}

/** The newest changes of a store. */
export interface CommitRecord {
  take(change: StoreChange): void
  /** How many are kept. */
  count(): number
  /** A change, the newest first. */
  at(index: number): RecordedCommit | undefined
  /** How many were taken so far. */
  taken(): number
}

/** Records what changes, with the time at which this tab learned of it. */
export function createCommitRecord(now: () => number = Date.now): CommitRecord {
  const all: RecordedCommit[] = []
  const versions = new Map<string, number>()
  let taken = 0

  function describe(change: StoreChange): RecordedCommit {
    const at = now()
    if (change.type === 'session') {
      const before = versions.get(change.key)
      versions.set(change.key, change.version)
      const newest = change.entries?.at(-1)?.at
      const took = newest === undefined ? undefined : at - newest
      return {
        at,
        kind: 'session',
        key: change.key,
        text: [
          change.rows.length > 0 ? counted(change.rows.length, 'entry', 'entries') : 'no new entries',
          change.reload && 'changed the line',
          change.erased === true && 'erased entries',
        ]
          .filter((part) => part !== false)
          .join(', '),
        version: change.version,
        missed: before === undefined ? 0 : Math.max(0, change.version - before - 1),
        ...(took === undefined || took < 0 || took > freshMs ? {} : { tookMs: took }),
        isStrict: change.strict === true,
      }
    }
    const rest = { at, kind: change.type, missed: 0, isStrict: 'strict' in change && change.strict === true } as const
    switch (change.type) {
      case 'draft':
        return { ...rest, key: change.key, text: draftText(change) }
      case 'collection':
        return { ...rest, key: change.collection, text: counted(change.keys.length, 'row') }
      case 'notice':
        return { ...rest, key: '', text: `${change.name}: ${change.message}` }
    }
  }

  return {
    take(change) {
      taken++
      all.push(describe(change))
      if (all.length > kept * 1.25) all.splice(0, all.length - kept)
      // Versions of sessions that nobody has seen for long are no loss.
      if (versions.size > 20_000) versions.clear()
    },
    count: () => Math.min(kept, all.length),
    at: (index) => all[all.length - 1 - index],
    taken: () => taken,
  }
}

function draftText({ view, added }: Extract<StoreChange, { readonly type: 'draft' }>): string {
  if (view !== undefined) return 'a reply begins'
  if (added === undefined) return 'a reply ended'
  const length = (added.text ?? '').length + (added.reasoning ?? '').length
  return `a reply grows: write ${added.n}, ${counted(length, 'character')}`
}
