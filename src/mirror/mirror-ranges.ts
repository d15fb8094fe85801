import type { SequenceRanges } from '../contract/entry.ts'
import type { SessionRows } from '../contract/rows.ts'
import { rangesOf, withoutRanges } from '../domain/version-vector.ts'
import { knownVector } from '../domain/work.ts'
import { rangesBelow } from './mirror-index.ts'
import type { ScannedFile } from './scan-file.ts'

/** The addresses of a session's entries in some files. */
export function rangesInFiles(files: Iterable<ScannedFile>, key: string): SequenceRanges {
  return rangesOf(
    [...files].flatMap(({ sessions }) => sessions.get(key)?.frames.flatMap(({ addresses }) => addresses) ?? []),
  )
}

/** The addresses of the entries of a session that a database has, or purged on purpose. */
export function rangesInDatabase(rows: SessionRows | undefined): SequenceRanges {
  return rows === undefined ? {} : withoutRanges(rangesBelow(knownVector(rows)), rows.cold.lost ?? {})
}

export const isNoRange = (ranges: SequenceRanges): boolean => Object.keys(ranges).length === 0
