import type { Entry, SequenceRanges } from '../contract/entry.ts'
import type { ColdRow, StoredEntry } from '../contract/rows.ts'
import { importedMid } from './imported-mid.ts'
import type { Line, Placed } from './line.ts'
import { isBranchDeleted, isCut, lineAt, lineOf, resolveChain, segmentOf } from './line.ts'
import { covers, inRanges, rangesOf } from './version-vector.ts'

/** The fields of a row that decide whether it may be purged. */
export type PurgeCandidate = Pick<Entry, 'w' | 's' | 'branch' | 'order' | 'turn' | 'type' | 'clock' | 'data'> &
  Pick<StoredEntry, 'edit'>

export interface PurgePlan {
  /** For the `purge` entry: rows that were not purged yet. Empty when there are none. */
  readonly ranges: SequenceRanges
  /** The rows to erase: these, and rows purged earlier that are still stored. */
  readonly rows: readonly { readonly branch: string; readonly order: string }[]
}

/** Types of line entries whose latest one sets a state (which model, how much thinking), even when a cut hides it. */
const stateTypes: ReadonlySet<string> = new Set(['model_change', 'thinking_level_change'])

/**
 * Finds the line entries that nothing shows: they are visible on no line that resolves and is not deleted, and in no
 * checkpoint that is not deleted. These are kept: rows of branches that can't be resolved (yet), rows that a checkpoint
 * on such a branch had seen, rows that only a compaction hides, the last state entry of each line, and imported rows
 * that may have copies, which would appear in their place.
 *
 * With sync on, other devices may have branches that are not here yet and would lose their past. So purge only on
 * request, or pass a cold row without the cuts that are younger than a horizon.
 *
 * @returns a function that takes every row of the session once, in any order; its memory grows with the lines, not with
 * the rows
 * @param onPurgeable - called for each entry that nothing shows, and for those that were purged earlier and are still
 *   stored.
 */
export function judgePurge<Row extends PurgeCandidate>(
  cold: ColdRow,
  onPurgeable: (row: Row, wasPurged: boolean) => void,
): (row: Row) => void {
  const lines = linesOf(cold).lines
  const unresolvedCheckpoints = checkpointsOf(cold).filter(({ branch }) => resolveChain(cold, branch) === undefined)
  const resolves = new Map<string, boolean>()

  const isKept = (row: Row): boolean => {
    if (!resolves.has(row.branch)) resolves.set(row.branch, resolveChain(cold, row.branch) !== undefined)
    if (resolves.get(row.branch) === false) return true
    if (cold.hasCopies === true && importedMid(row) !== undefined) return true
    if (unresolvedCheckpoints.some(({ vv }) => covers(vv, row.w, row.s))) return true
    return row.edit?.value !== null && lines.some((line) => shows(line, row))
  }
  const judge = (row: Row): void => {
    if (!isKept(row)) onPurgeable(row, false)
  }
  const addState = keepLastStates(lines, judge)

  return (row) => {
    if (inRanges(cold.purged, row.w, row.s)) onPurgeable(row, true)
    else if (stateTypes.has(row.type)) addState(row)
    else judge(row)
  }
}

/** {@link judgePurge} for rows in memory. */
export function createPurgePlanner(cold: ColdRow): {
  readonly add: (row: PurgeCandidate) => void
  readonly plan: () => PurgePlan
} {
  const purgeable: PurgeCandidate[] = []
  const erased: PurgeCandidate[] = []
  return {
    add: judgePurge<PurgeCandidate>(cold, (row, wasPurged) => void (wasPurged ? erased : purgeable).push(row)),
    plan: () => ({
      ranges: rangesOf(purgeable),
      rows: [...purgeable, ...erased].map(({ branch, order }) => ({ branch, order })),
    }),
  }
}

/** The checkpoints that are not deleted. */
export function checkpointsOf(cold: ColdRow): ColdRow['checkpoints'][string][] {
  return Object.entries(cold.checkpoints).flatMap(([id, row]) => (isCheckpointDeleted(cold, id) ? [] : [row]))
}

export function isCheckpointDeleted(cold: Pick<ColdRow, 'targets'>, id: string): boolean {
  return cold.targets[`checkpoint:${id}`]?.['deleted']?.[1] === true
}

/**
 * Every line that a person can open: those of the branches, and those that checkpoints would restore. `isWhole`: there
 * are no others that can't be resolved (yet).
 */
export function linesOf(cold: ColdRow): { readonly lines: readonly Line[]; readonly isWhole: boolean } {
  const branches = ['', ...Object.keys(cold.branches).filter((branch) => !isBranchDeleted(cold, branch))].map(
    (branch) => lineOf(cold, branch),
  )
  const checkpoints = checkpointsOf(cold).map(({ branch, order, vv, clock }) =>
    lineAt(cold, { branch, order, vv, cuts: clock }),
  )
  const lines = [...branches, ...checkpoints]
  const found = lines.filter((line) => line !== undefined)
  return { lines: found, isWhole: found.length === lines.length }
}

function shows(line: Line, row: Placed): boolean {
  const segment = segmentOf(line, row)
  return segment >= 0 && !isCut(line, segment, row)
}

/**
 * Keeps the state entries that are the last of their type on the raw view of some line. @param onPassed - called for
 * each entry that is not, or is no longer
 */
function keepLastStates<Row extends PurgeCandidate>(
  lines: readonly Line[],
  onPassed: (row: Row) => void,
): (row: Row) => void {
  const latest = lines.map(() => new Map<string, Row>())
  /** For each entry, the number of lines whose last one it is. */
  const uses = new Map<Row, number>()
  return (row) => {
    let count = 0
    for (const [i, line] of lines.entries()) {
      const before = latest[i]!.get(row.type)
      if (segmentOf(line, row) < 0 || (before !== undefined && before.order >= row.order)) continue
      latest[i]!.set(row.type, row)
      count++
      if (before === undefined) continue
      const left = uses.get(before)! - 1
      uses.set(before, left)
      if (left > 0) continue
      uses.delete(before)
      onPassed(before)
    }
    if (count > 0) uses.set(row, count)
    else onPassed(row)
  }
}
