import type { RangeResult, StoredDraft } from '../contract/backend.ts'
import type { SessionRows, StoredEntry } from '../contract/rows.ts'
import type { PlacedEntries } from '../contract/session-places.ts'
import { unsealEntry } from './sealed-entry.ts'
import { unsealChunk, unsealRows } from './sealed-rows.ts'
import { type Sealer, Unsealable } from './sealer.ts'

/** Leaves out the entries that can't be unsealed, and names each by its order. */
export async function unsealRange(
  sealer: Sealer,
  session: number,
  { entries, more, unreadable }: RangeResult,
): Promise<RangeResult> {
  const lost: string[] = []
  const open = await unsealEach(sealer, session, entries, ({ order }) => lost.push(order))
  return {
    entries: open.filter((entry) => entry !== undefined),
    more,
    unreadable: lost.length === 0 ? unreadable : [...unreadable, ...lost],
  }
}

/** @param onLost - called with each entry that can't be unsealed; the result has `undefined` in its place */
export function unsealEach(
  sealer: Sealer,
  session: number,
  entries: readonly (StoredEntry | undefined)[],
  onLost: (entry: StoredEntry) => void = () => undefined,
): Promise<(StoredEntry | undefined)[]> {
  return Promise.all(
    entries.map(
      async (entry) => entry && unsealEntry(sealer, session, entry).catch(unlessUnsealable(() => void onLost(entry))),
    ),
  )
}

export async function unsealPlaces(
  sealer: Sealer,
  session: number,
  { rows, entries }: PlacedEntries,
): Promise<PlacedEntries | undefined> {
  const [open, found] = await Promise.all([
    unsealRows(sealer, rows).catch(unlessUnsealable((): SessionRows | undefined => undefined)),
    unsealEach(sealer, session, entries),
  ])
  return open && { rows: open, entries: found }
}

/** Leaves out the chunks that can't be unsealed. */
export async function unsealDraft(sealer: Sealer, session: number, { row, chunks }: StoredDraft): Promise<StoredDraft> {
  const open = await Promise.all(
    chunks.map(async ({ n, chunk }) =>
      unsealChunk(sealer, session, row.id, n, chunk).then(
        (plain) => [{ n, chunk: plain }],
        unlessUnsealable(() => []),
      ),
    ),
  )
  return { row, chunks: open.flat() }
}

/** An error handler for content that can't be unsealed. It throws any other error again. */
export function unlessUnsealable<T>(otherwise: () => T): (error: unknown) => T {
  return (error) => {
    if (!(error instanceof Unsealable)) throw error
    return otherwise()
  }
}
