import { type CoreBackend, controlLane } from '../../../contract/backend.ts'
import type { SequenceRanges } from '../../../contract/entry.ts'
import type { SessionRows, StoredEntry } from '../../../contract/rows.ts'
import { isControl } from '../../../domain/control.ts'
import { given } from '../../../domain/given.ts'
import { judgeEdits } from '../../../domain/judge-edits.ts'
import { namedBlobs } from '../../../domain/named-blobs.ts'
import { orderEnd } from '../../../domain/order.ts'
import { judgePurge } from '../../../domain/purge.ts'
import { clearedSummary, judgeControls } from '../../../domain/purged-controls.ts'
import { createSequenceSet } from '../../../domain/sequence-set.ts'
import { inRanges } from '../../../domain/version-vector.ts'
import { lanePages } from '../reading/lane-pages.ts'
import type { Pace } from '../work-pace.ts'

/** How many entries one transaction erases. */
export const batchRows = 2048

/** The entries of a session that can be erased. */
export interface Findings {
  /** Addresses of entries that nothing shows, and that no `purge` names yet. */
  readonly ranges: SequenceRanges
  /** Those of them that are control entries. */
  readonly newControls: SequenceRanges
  /** All control entries that can be erased, including those that a `purge` names. */
  readonly controls: SequenceRanges
  /** When the summary in the metadata was set, if it is among what nothing shows. */
  readonly summary?: string
  /** The pending edits of the cold row that are among them. */
  readonly over: readonly string[]
  /** The first of `ranges`. They are erased in the transaction that names them, which for most sessions is all. */
  readonly first: readonly ErasedRow[]
  /**
   * What is left to erase, including entries that were purged before. Edits come before the rows that they change: once
   * nothing is left of these, nobody can tell.
   */
  readonly stretches: readonly Stretch[]
  /** The number of the session, and the version of its cold row, that this is valid for. */
  readonly session: number
  readonly coldVersion: number
  readonly lastControl: string
}

export interface ErasedRow {
  /** Absent: a control entry. */
  readonly branch?: string
  readonly order: string
  readonly bytes: number
  readonly named: ReadonlySet<string>
}

/** A part of a lane with entries to erase. */
export interface Stretch {
  /** `undefined`: control entries. */
  readonly branch: string | undefined
  readonly first: string
  readonly last: string
}

export async function findErasable(backend: CoreBackend, { hot, cold }: SessionRows, pace: Pace): Promise<Findings> {
  const lastControl = (await controlsAfter(backend, hot.session, '', true)).at(-1)?.order ?? ''
  const [gone, newControls, controls] = [createSequenceSet(), createSequenceSet(), createSequenceSet()]
  const first: ErasedRow[] = []
  const stretches = new Map<string | undefined, { branch: string | undefined; first: string; last: string }>()
  let hasMore = false
  const take = (row: ErasedRow, w: number, s: number, wasPurged = inRanges(cold.purged, w, s)): void => {
    const { branch, order } = row
    if (branch === undefined) {
      controls.add(w, s)
      if (!wasPurged) newControls.add(w, s)
    }
    if (!wasPurged) gone.add(w, s)
    if (wasPurged || first.length === batchRows) hasMore = true
    else first.push(row)
    const stretch = stretches.get(branch)
    if (stretch === undefined) stretches.set(branch, { branch, first: order, last: order })
    else {
      if (order < stretch.first) stretch.first = order
      if (order > stretch.last) stretch.last = order
    }
  }
  const ofEdits = judgeEdits(
    cold,
    (edit: StoredEntry) => ({ row: erasedRow(edit), w: edit.w, s: edit.s }),
    ({ row, w, s }) => take(row, w, s),
  )
  const summary = clearedSummary(cold)
  const isGone = judgeControls(cold, summary)
  const judge = judgePurge<StoredEntry>(cold, (row, wasPurged) => {
    ofEdits.gone(row)
    take(erasedRow(row), row.w, row.s, wasPurged)
  })
  for await (const page of lanePages(backend, hot.session, controlLane, '', pace))
    for (const entry of page) {
      ofEdits.control(entry)
      if (isGone(entry)) take(erasedRow(entry), entry.w, entry.s)
    }
  for (const lane of Object.values(cold.lanes)) {
    for await (const page of lanePages(backend, hot.session, lane, '', pace)) {
      for (const row of page) {
        ofEdits.row(row)
        judge(row)
      }
    }
  }
  const over = ofEdits.finish()
  const left = hasMore ? [...stretches.values()] : []
  return {
    ranges: gone.held(),
    newControls: newControls.held(),
    controls: controls.held(),
    over,
    ...given({ summary }),
    first,
    stretches: left.sort((a, b) => Number(b.branch === undefined) - Number(a.branch === undefined)),
    session: hot.session,
    coldVersion: hot.coldVersion,
    lastControl,
  }
}

/** Whether the facts that decide about lines are unchanged. */
export async function isStill(
  backend: CoreBackend,
  { hot }: SessionRows,
  { session, coldVersion, lastControl }: Findings,
): Promise<boolean> {
  if (hot.session !== session || hot.coldVersion !== coldVersion) return false
  return (await controlsAfter(backend, session, lastControl, false)).length === 0
}

async function controlsAfter(
  backend: CoreBackend,
  session: number,
  after: string,
  reverse: boolean,
): Promise<readonly StoredEntry[]> {
  const { entries } = await backend.readRange({
    session,
    lane: controlLane,
    from: after,
    to: orderEnd,
    limit: 2,
    reverse,
  })
  return entries.filter(({ order }) => order > after)
}

export const erasedRow = (row: StoredEntry): ErasedRow => ({
  ...(isControl(row.type) ? {} : { branch: row.branch }),
  order: row.order,
  bytes: row.bytes,
  named: namedBlobs(row),
})
