import type { Entry } from '../contract/entry.ts'
import type { MergeOptions, MergeResult } from '../contract/store/log-exchange.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import { entryId } from '../domain/address.ts'

/** Rows of one transaction: other tabs wait while it lasts. */
const chunkSize = 500

/** Something that was not accepted. */
export interface Refusal {
  /** Id of the entry, if it is known. */
  readonly id?: string
  readonly reason: string
}

export interface IngestResult {
  readonly added: number
  readonly refused: readonly Refusal[]
  /** Valid entries whose writer's earlier entries are missing. */
  readonly waiting: readonly Refusal[]
}

/**
 * Stores entries from elsewhere in chunks, and separates those that break a rule from those that only came too early.
 */
export async function ingest(
  store: Pick<SessionStore, 'merge'>,
  key: string,
  entries: readonly Entry[],
  options: Pick<MergeOptions, 'term' | 'gapsAreLost'>,
): Promise<IngestResult> {
  // Writers of purges come first: entries behind a purged range are accepted once the purge is known.
  const purgers = new Set(entries.flatMap(({ type, w }) => (type === 'purge' ? [w] : [])))
  let rest = [...entries].sort((a, b) => Number(purgers.has(b.w)) - Number(purgers.has(a.w)) || a.w - b.w || a.s - b.s)
  let added = 0
  for (;;) {
    const results = await mergeInPieces(rest, (piece) => store.merge(key, piece, { isKey: true, ...options }))
    const refused = results.flatMap((result) => result.refused)
    const before = added
    for (const result of results) added += result.added
    const waiting = refused.filter(({ isEarly }) => isEarly)
    if (waiting.length === 0 || added === before)
      return { added, refused: refused.filter(({ isEarly }) => !isEarly), waiting }
    const byId = new Map(rest.map((entry) => [entryId(entry.w, entry.s), entry]))
    rest = refused.map(({ id }) => byId.get(id!)!)
  }
}

/**
 * Two merges at once: the store checks the next chunk while the previous one is written. The store keeps their order,
 * and both have ended when this does.
 */
async function mergeInPieces(
  entries: readonly Entry[],
  merge: (piece: readonly Entry[]) => Promise<MergeResult>,
): Promise<readonly MergeResult[]> {
  const merges: Promise<MergeResult>[] = []
  try {
    for (let from = 0; from < entries.length; from += chunkSize) {
      const merging = merge(entries.slice(from, from + chunkSize))
      // It may fail before the previous one does, whose error is reported first.
      merging.catch(() => undefined)
      merges.push(merging)
      await merges.at(-2)
    }
  } finally {
    await Promise.allSettled(merges)
  }
  return Promise.all(merges)
}
