import type { Entry, VersionVector } from '../contract/entry.ts'
import type { JsonObject } from '../contract/json.ts'
import type { MetaPatch } from '../contract/meta.ts'
import type { CutRow, HotRow, StoredEntry } from '../contract/rows.ts'
import { entryId } from './address.ts'
import { deletionRow, laterDeletion } from './deletion.ts'
import { branchRow, checkpointRow, compactionRow, cutRow, joinPurges } from './fold.ts'
import { hasCopiesAfter } from './imported-mid.ts'
import { cutSeen } from './keep-seen.ts'
import { voidSums } from './keep-sums.ts'
import { lineOf } from './line.ts'
import { forgetSummary, metaTargets, setFields, setTargets } from './meta-fields.ts'
import { moveHead } from './move-head.ts'
import { withoutPurged } from './purged-controls.ts'
import { includesVector, withoutRanges } from './version-vector.ts'
import { raiseFloor } from './view-state.ts'
import { changeCold, rescan, type Work } from './work.ts'

/**
 * Applies a control entry other than an edit to a session's rows.
 *
 * @param known - covers the entries that were stored before this one (only needed for cuts and compactions)
 * @param isNewest - whether the entry is later than every stored entry
 * @param target - the row after which a `branch` forks, if it is stored
 */
export function arriveControl(
  work: Work,
  entry: Entry,
  known: VersionVector,
  isNewest: boolean,
  target: StoredEntry | undefined,
): void {
  const id = entryId(entry.w, entry.s)
  const { cold, hot } = work
  const { data } = entry
  switch (entry.type) {
    case 'branch': {
      const heads =
        data['head'] === true && entry.order > (cold.heads[id] ?? '')
          ? { ...cold.heads, [id]: entry.order }
          : cold.heads
      changeCold(work, { branches: { ...cold.branches, [id]: branchRow(entry) }, heads })
      return moveHead(work, cold, isNewest ? entry.order : undefined, target)
    }
    case 'head': {
      const branch = data['branch'] as string
      if (entry.order <= (cold.heads[branch] ?? '')) return
      changeCold(work, { heads: { ...cold.heads, [branch]: entry.order } })
      return moveHead(work, cold, isNewest ? entry.order : undefined)
    }
    case 'cut': {
      const cut = cutRow(entry)
      const before = work.line.compaction
      changeCold(work, { cuts: [...cold.cuts, cut].sort(byClock) })
      work.line = lineOf(work.cold, hot.head)!
      if (!work.line.cuts.some((applied) => applied.cut === cut)) return
      cutSeen(work, cut, includesVector(cut.vv, known))
      // Without the compaction, the context has what that hid and the cut does not.
      if (work.line.compaction?.cut !== before?.cut && cut.order < hot.lineEnd) return rescan(work, true)
      return hideRows(work, cut, includesVector(cut.vv, known), false)
    }
    case 'compaction': {
      const cut = compactionRow(entry)
      const before = work.line.compaction?.cut
      changeCold(work, { compactions: [...cold.compactions, cut].sort(byClock) })
      work.line = lineOf(work.cold, hot.head)!
      if (work.line.compaction?.cut !== cut) return
      return hideRows(
        work,
        cut,
        includesVector(cut.vv, known) && (before === undefined || before.order <= cut.order),
        true,
      )
    }
    case 'meta':
      return arriveMeta(work, entry)
    case 'checkpoint':
      return changeCold(work, { checkpoints: { ...cold.checkpoints, [id]: checkpointRow(entry) } })
    case 'delete':
    case 'undelete': {
      const deletion = laterDeletion(cold.deletion, deletionRow(entry))
      if (deletion === cold.deletion) return
      changeCold(work, { deletion })
      for (const field of ['deletedAt', 'kept', 'life'] as const) delete hot[field]
      const { deleted, at, kept, life } = deletion
      Object.assign(hot, deleted ? { deletedAt: at } : {}, kept && { kept }, life !== undefined && { life })
      return
    }
    case 'purge':
      changeCold(work, { ...joinPurges(cold, data), fields: forgetSummary(cold.fields, entry) })
      changeCold(work, withoutPurged(cold, work.cold.purged))
      // Purged entries must not be restored.
      if (cold.lost !== undefined) changeCold(work, { lost: withoutRanges(cold.lost, work.cold.purged) })
      work.line = lineOf(work.cold, hot.head)!
      voidSums(work)
      return rescan(work)
  }
}

function byClock(a: { readonly clock: string }, b: { readonly clock: string }): number {
  return a.clock < b.clock ? -1 : 1
}

/**
 * Handles a cut (of both views) or a compaction (of the context only) that newly applies to the head line. If it had
 * seen every entry up to its order, only the rows that stay visible are counted again.
 */
function hideRows(work: Work, cut: CutRow, sawAll: boolean, contextOnly: boolean): void {
  const { hot, line } = work
  const coversLine = cut.branch === line.branch
  const floor = cut.order < hot.lineEnd ? cut.order : hot.lineEnd
  // Rows after the floor may have copies. All of them together decide which one is shown, so that all are counted
  // again.
  if (!sawAll || !coversLine || work.review !== undefined || hasCopiesAfter(work.cold, floor)) return rescan(work, true)
  hot.context = raiseFloor(hot.context, floor)
  if (!contextOnly) {
    hot.transcript = raiseFloor(hot.transcript, floor)
    delete hot.tail
  }
  const { floor: after, late } = contextOnly ? hot.context : hot.transcript
  if (late.length > 0) rescan(work, true)
  else work.review = { kind: 'scan', after, contextOnly }
}

/** Fields that a session list shows. They are copied to the hot row. */
const listed = Object.keys({
  title: true,
  suggestedTitle: true,
  archived: true,
  tags: true,
  agentId: true,
  userId: true,
  ttl: true,
  promotedTo: true,
  restartedAt: true,
} satisfies Record<keyof HotRow & (keyof MetaPatch | 'promotedTo' | 'restartedAt'), true>)

function arriveMeta(work: Work, entry: Entry): void {
  const { cold, hot } = work
  const set = entry.data['set'] as JsonObject
  const targets = metaTargets(entry)
  if (targets !== undefined) {
    const next = { ...cold.targets }
    setTargets(next, targets, entry)
    changeCold(work, { targets: next })
    return moveHead(work, cold, undefined)
  }
  changeCold(work, { fields: setFields(cold.fields, entry.order, set) })
  const row = hot as Record<string, unknown>
  for (const field of listed) {
    const value = work.cold.fields[field]?.[1]
    if (value === undefined || value === null) delete row[field]
    else row[field] = value
  }
  // This session may itself be the result of the promotion. Another device's copy of the promoted history then brings
  // the field along, with this session's own key.
  if (hot.promotedTo === hot.key) delete hot.promotedTo
}
