import type { Entry } from '../contract/entry.ts'
import type { MergeResult, SessionStore } from '../contract/store.ts'
import { entryId } from '../domain/address.ts'

/** Rows of one transaction: other tabs wait while it lasts. */
const chunkSize = 500

/** What was not taken. */
export interface Refusal {
  /** Of the entry, where it can be told. */
  readonly id?: string
  readonly reason: string
}

export interface IngestResult {
  readonly added: number
  readonly refused: readonly Refusal[]
  /** Sound entries whose writer's earlier ones are missing. */
  readonly waiting: readonly Refusal[]
}

/** Stores entries from elsewhere, in pieces, and tells those that break a rule from those that only came too early. */
export async function ingest(store: Pick<SessionStore, 'merge'>, key: string, entries: readonly Entry[], term: number | undefined): Promise<IngestResult> {
  // Purges first among the writers: what follows a purged range is let in once its purge is known.
  const purgers = new Set(entries.flatMap(({ type, w }) => (type === 'purge' ? [w] : [])))
  let rest = [...entries].sort((a, b) => Number(purgers.has(b.w)) - Number(purgers.has(a.w)) || a.w - b.w || a.s - b.s)
  let added = 0
  for (;;) {
    const results = await mergeInPieces(rest, (piece) => store.merge(key, piece, { isKey: true, ...(term === undefined ? {} : { term }) }))
    const refused = results.flatMap((result) => result.refused)
    const before = added
    for (const result of results) added += result.added
    const waiting = refused.filter(({ isEarly }) => isEarly)
    if (waiting.length === 0 || added === before) return { added, refused: refused.filter(({ isEarly }) => !isEarly), waiting }
    const byId = new Map(rest.map((entry) => [entryId(entry.w, entry.s), entry]))
    rest = refused.map(({ id }) => byId.get(id!)!)
  }
}

/** Two under way: the store checks the next while the one before is written. It keeps their order, and both have ended when this does. */
async function mergeInPieces(entries: readonly Entry[], merge: (piece: readonly Entry[]) => Promise<MergeResult>): Promise<readonly MergeResult[]> {
  const merges: Promise<MergeResult>[] = []
  try {
    for (let from = 0; from < entries.length; from += chunkSize) {
      const merging = merge(entries.slice(from, from + chunkSize))
      // It may fail before the one before has: that is told first.
      merging.catch(() => undefined)
      merges.push(merging)
      await merges.at(-2)
    }
  } finally {
    await Promise.allSettled(merges)
  }
  return Promise.all(merges)
}
