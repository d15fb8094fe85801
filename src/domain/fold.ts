import type { Entry, SequenceRanges, VersionVector } from '../contract/entry.ts'
import type { JsonObject } from '../contract/json.ts'
import type { BranchRow, CheckpointRow, ColdRow, CompactionRow, CutRow, EditMark } from '../contract/rows.ts'
import type { View } from '../contract/store/session-log.ts'
import { entryId, writerKey } from './address.ts'
import { isControl } from './control.ts'
import { deletionRow, laterDeletion } from './deletion.ts'
import { emptyCold } from './empty-rows.ts'
import { given } from './given.ts'
import type { Line } from './line.ts'
import { lineOf, resolveHead, segmentOf } from './line.ts'
import { forgetSummary, metaTargets, setFields, setTargets } from './meta-fields.ts'
import { withoutPurged } from './purged-controls.ts'
import { shownAmong } from './shown-among.ts'
import { sortByOrder } from './sort-by-order.ts'
import type { Steps } from './steps.ts'
import { atOnce, overEach } from './steps.ts'
import { commonRanges, inRanges, joinRanges } from './version-vector.ts'

/** An entry with its winning edit. */
export type FoldedEntry = Entry & { readonly edit?: EditMark }

/** The state of a session that a set of entries describes. It does not depend on their order of arrival. */
export interface SessionFold {
  readonly cold: ColdRow
  readonly head: string
  readonly deleted: boolean
  /** Line entries that are not purged, by order. */
  readonly rows: readonly FoldedEntry[]
  /** When each compaction was made, by its id: milliseconds since 1970. */
  readonly compactedAt: ReadonlyMap<string, number>
}

/**
 * Computes the whole state of a session from its entries, as one pure function. The store keeps the same result current
 * entry by entry (`arrive`). This function is the reference for its tests, and `repair` rebuilds from it.
 */
export function foldEntries(entries: Iterable<Entry>): SessionFold {
  return atOnce(foldInSteps([...entries]))
}

/** The same in steps, for logs that would keep a page busy. */
export function* foldInSteps(entries: readonly Entry[]): Steps<SessionFold> {
  const known = yield* foldWriters(entries)
  const controls: Entry[] = []
  const lines: Entry[] = []
  let last: Entry | undefined
  yield* overEach(yield* sortByOrder(entries), (entry) => {
    // The same entry may have arrived several times.
    if (entry.order === last?.order && entry.w === last.w && entry.s === last.s) return
    last = entry
    ;(isControl(entry.type) ? controls : lines).push(entry)
  })
  const cold = foldControls(known, controls)
  const edits = new Map<string, EditMark>()
  for (const entry of controls) {
    if (entry.type === 'edit')
      edits.set(editKey(entry.data['branch'] as string, entry.data['order'] as string), editMark(entry))
  }
  const rows: FoldedEntry[] = []
  yield* overEach(lines, (entry) => {
    const key = editKey(entry.branch, entry.order)
    const edit = edits.get(key)
    edits.delete(key)
    if (inRanges(cold.purged, entry.w, entry.s)) return
    rows.push(edit === undefined ? entry : { ...entry, edit })
  })
  const head = resolveHead(cold)
  return {
    cold: {
      ...cold,
      newer: yield* countNewer(rows, lineOf(cold, head)!, cold.heads[head] ?? ''),
      pending: Object.fromEntries(edits),
    },
    head,
    deleted: cold.deletion?.deleted ?? false,
    rows,
    compactedAt: new Map(
      controls.flatMap(({ type, w, s, at }) => (type === 'compaction' ? [[entryId(w, s), at]] : [])),
    ),
  }
}

/** One view of one line; empty when the line can't be resolved. */
export function foldView(fold: SessionFold, branch: string, view: View): readonly FoldedEntry[] {
  const line = lineOf(fold.cold, branch)
  if (line === undefined) return []
  const shown = shownAmong(line, view === 'raw' ? [] : fold.rows)
  return fold.rows.map(shown).flatMap((one) => (one[view] ? [one.row] : []))
}

export function editKey(branch: string, order: string): string {
  return `${branch} ${order}`
}

export function editMark(entry: Entry): EditMark {
  return { order: entry.order, id: entryId(entry.w, entry.s), value: entry.data['value'] as JsonObject | null }
}

/** The stored form of a `branch` entry in the cold row. */
export function branchRow(entry: Entry): BranchRow {
  const { fork, name } = entry.data as unknown as Pick<BranchRow, 'fork' | 'name'>
  return given({ order: entry.order, at: entry.at, fork, name })
}

export function cutRow(entry: Entry): CutRow {
  const { w, s, branch, data } = entry
  const clears = data['clears'] === true ? { clears: true as const } : {}
  return {
    clock: entry.order,
    w,
    s,
    branch,
    order: data['order'] as string,
    vv: data['vv'] as VersionVector,
    ...clears,
  }
}

export function compactionRow(entry: Entry): CompactionRow {
  return { ...cutRow(entry), id: entryId(entry.w, entry.s), summary: entry.data['summary'] as string, data: entry.data }
}

export function checkpointRow(entry: Entry): CheckpointRow {
  const { branch, order, vv, label, seen } = entry.data as unknown as Omit<CheckpointRow, 'clock' | 'at'>
  const has = (field: 'metadata' | 'state'): true | undefined => (entry.data[field] === undefined ? undefined : true)
  const metadata = has('metadata')
  return given({ clock: entry.order, at: entry.at, branch, order, vv, label, metadata, state: has('state'), seen })
}

interface PurgeData {
  readonly ranges: SequenceRanges
  readonly controls?: SequenceRanges
}

/** What was purged, with what another `purge` entry names. */
export function joinPurges(
  { purged, purgedControls }: Pick<ColdRow, 'purged' | 'purgedControls'>,
  data: JsonObject,
): Pick<ColdRow, 'purged' | 'purgedControls'> {
  const { ranges, controls } = data as unknown as PurgeData
  const more = controls && commonRanges(joinRanges({}, controls), joinRanges({}, ranges))
  const all = more === undefined ? purgedControls : joinRanges(purgedControls ?? {}, more)
  return { purged: joinRanges(purged, ranges), ...(all !== undefined && { purgedControls: all }) }
}

/** What is known of each writer, and the lanes by arrival. */
function* foldWriters(entries: readonly Entry[]): Steps<Pick<ColdRow, 'vv' | 'lanes'>> {
  const vv: Record<string, number> = {}
  const lanes: Record<string, number> = { ...emptyCold.lanes }
  yield* overEach(entries, (entry) => {
    const writer = writerKey(entry.w)
    vv[writer] = Math.max(vv[writer] ?? 0, entry.s + 1)
    if (!isControl(entry.type)) lanes[entry.branch] ??= Object.keys(lanes).length
  })
  return { vv, lanes }
}

function foldControls(known: Pick<ColdRow, 'vv' | 'lanes'>, controls: readonly Entry[]): ColdRow {
  const branches: Record<string, BranchRow> = {}
  const heads: Record<string, string> = {}
  const checkpoints: Record<string, CheckpointRow> = {}
  const targets: Record<string, ColdRow['targets'][string]> = {}
  let fields: ColdRow['fields'] = {}
  let deletion: ColdRow['deletion']
  let purges: Pick<ColdRow, 'purged' | 'purgedControls'> = { purged: {} }
  for (const entry of controls) {
    const id = entryId(entry.w, entry.s)
    const data = entry.data
    switch (entry.type) {
      case 'branch':
        branches[id] = branchRow(entry)
        if (data['head'] === true) heads[id] = entry.order
        break
      case 'head':
        heads[data['branch'] as string] = entry.order
        break
      case 'checkpoint':
        checkpoints[id] = checkpointRow(entry)
        break
      case 'meta': {
        const named = metaTargets(entry)
        if (named === undefined) fields = setFields(fields, entry.order, data['set'] as JsonObject)
        else setTargets(targets, named, entry)
        break
      }
      case 'delete':
      case 'undelete':
        deletion = laterDeletion(deletion, deletionRow(entry))
        break
      case 'purge':
        purges = joinPurges(purges, data)
        fields = forgetSummary(fields, entry)
        break
    }
  }
  const cuts = controls.filter((entry) => entry.type === 'cut').map(cutRow)
  const compactions = controls.filter((entry) => entry.type === 'compaction').map(compactionRow)
  return {
    ...emptyCold,
    ...known,
    branches,
    heads,
    cuts,
    fields,
    targets,
    ...purges,
    ...withoutPurged({ checkpoints, compactions }, purges.purged),
    ...(deletion === undefined ? {} : { deletion }),
  }
}

function* countNewer(rows: readonly FoldedEntry[], line: Line, since: string): Steps<Record<string, number>> {
  const newer: Record<string, number> = {}
  yield* overEach(rows, (row) => {
    if (row.order > since && segmentOf(line, row) < 0) newer[row.branch] = (newer[row.branch] ?? 0) + 1
  })
  return newer
}
