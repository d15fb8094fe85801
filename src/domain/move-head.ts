import type { ColdRow, StoredEntry } from '../contract/rows.ts'
import { hasCopiesAfter } from './imported-mid.ts'
import { lineOf, resolveHead, segmentOf } from './line.ts'
import { emptySum } from './row-sum.ts'
import { showsAlike } from './shows-alike.ts'
import type { Work } from './work.ts'
import { changeCold, rescan } from './work.ts'

/**
 * Follows the head after a change of branches, heads or deleted branches.
 *
 * @param before - the cold row before the change
 * @param newest - order of the entry that made the change, when it is later than everything here
 * @param forkPoint - the row after which a branch was opened
 */
export function moveHead(work: Work, before: ColdRow, newest: string | undefined, forkPoint?: StoredEntry): void {
  const { hot } = work
  const head = resolveHead(work.cold)
  const clock = work.cold.heads[head]
  if (head === hot.head && clock === before.heads[head]) return
  const isNewest = newest !== undefined && clock === newest
  if (isNewest) changeCold(work, { newer: {} })
  if (head === hot.head) return isNewest ? undefined : rescan(work)
  const from = work.line
  hot.head = head
  hot.pack = { from: '', count: 0 }
  delete hot.open
  const { seen, lineEnd } = hot
  delete hot.seen
  work.line = lineOf(work.cold, head)!
  const { order, fork } = work.cold.branches[head] ?? {}
  // A branch that was opened just now has no rows yet, so that its line is a part of the line that it leaves.
  const isOpened =
    isNewest &&
    order === newest &&
    fork !== undefined &&
    fork.order === forkPoint?.order &&
    segmentOf(from, forkPoint) >= 0
  if (
    !isOpened ||
    work.review !== undefined ||
    hasCopiesAfter(work.cold, fork.order) ||
    !showsAlike(work.line, from, work.line.segments.length - 1)
  )
    return rescan(work, isNewest)
  work.review = { kind: 'subtract', line: from, after: fork.order }
  hot.open = { ...emptySum, after: order, blocks: 0 }
  hot.lastOrder = order
  hot.lineEnd = fork.order
  // The branch forks at the end of the old line, so that it has seen the same messages.
  if (seen !== undefined && fork.order === lineEnd) hot.seen = seen
  delete hot.tail
  if (hot.auto !== undefined && hot.auto.order > fork.order) delete hot.auto
}
