import type { SequenceRanges, VersionVector } from '../contract/entry.ts'
import type { SessionRows } from '../contract/rows.ts'
import { measureData } from '../domain/seal.ts'
import { inRanges, withoutRanges } from '../domain/version-vector.ts'
import { knownVector } from '../domain/work.ts'
import { rangesBelow } from './mirror-index.ts'
import type { MirroredPlace } from './mirrored-place.ts'
import { textsOfEntries } from './mirrored-text.ts'

/** Writes the entries of a session that the mirror lacks. @returns how many */
export async function copySession(
  { store, mirror, sealing }: Pick<MirroredPlace, 'store' | 'mirror' | 'sealing'>,
  key: string,
  rows: SessionRows,
  held: SequenceRanges,
): Promise<number> {
  const lacking = withoutRanges(
    withoutRanges(withoutRanges(rangesBelow(knownVector(rows)), held), rows.cold.purged),
    rows.cold.lost ?? {},
  )
  if (Object.keys(lacking).length === 0) return 0
  let count = 0
  for (let cursor: string | undefined; ; ) {
    const page = await store.changes(key, startsOf(held), cursor)
    const entries = page.entries
      .filter(({ w, s }) => inRanges(lacking, w, s))
      .map((entry) => ({ ...entry, bytes: measureData(entry.data).bytes }))
    count += entries.length
    await mirror.begin(textsOfEntries(rows.hot, (await sealing?.seal(rows.hot.session, entries)) ?? entries)).stored()
    cursor = page.next
    if (cursor === undefined) return count
  }
}

/** For each writer the end of the range of entries that the mirror has without a gap from the first one on. */
function startsOf(held: SequenceRanges): VersionVector {
  return Object.fromEntries(
    Object.entries(held).flatMap(([writer, [first]]) => (first?.[0] === 0 ? [[writer, first[1]]] : [])),
  )
}
