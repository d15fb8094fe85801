import type { CoreBackend } from '../../../contract/backend.ts'
import type { HotRow, SessionRows, StoredEntry } from '../../../contract/rows.ts'
import type { BlockSum } from '../../../contract/sums.ts'
import type { ClosedBlock } from '../../../domain/block-change.ts'
import { isControl } from '../../../domain/control.ts'
import { editKey } from '../../../domain/fold.ts'
import { type Level, readBlocks } from '../sums/sum-blocks.ts'
import type { Plan } from '../writing/plan.ts'
import { plannedRows } from '../writing/plan.ts'
import { edgeOf } from './range-edge.ts'

/** Neighbouring rows of a lane. */
interface LanePage {
  readonly rows: readonly StoredEntry[]
  /** Whether all of them could be read. */
  readonly isWhole: boolean
}

/** The content of a session's lanes: rows, and blocks of their sums. Bounds: `after < order ≤ upTo`. */
export interface LaneSource {
  readonly rows: (branch: string, after: string, upTo: string) => AsyncIterable<LanePage>
  /** The blocks that overlap a stretch, ascending; the last may end after it. */
  readonly blocks: (level: Level, branch: string, after: string, upTo: string) => Promise<readonly BlockSum[]>
}

/** How many entries are fetched at a time. */
const chunk = 1024

/** The stored lanes. */
export function storedLanes(backend: CoreBackend, { hot, cold }: SessionRows): LaneSource {
  const laneOf = (branch: string): number | undefined =>
    hot.version > 0 && Object.hasOwn(cold.lanes, branch) ? cold.lanes[branch] : undefined
  return {
    rows: (branch, after, upTo) => readStored(backend, hot, laneOf(branch), after, upTo),
    blocks: async (level, branch, after, upTo) => {
      const lane = laneOf(branch)
      return lane === undefined ? [] : readBlocks(backend, hot, lane, level, after, upTo)
    },
  }
}

async function* readStored(
  backend: CoreBackend,
  hot: HotRow,
  lane: number | undefined,
  after: string,
  upTo: string,
): AsyncGenerator<LanePage, void, undefined> {
  for (let from = after; lane !== undefined; ) {
    const part = await backend.readRange({ session: hot.session, lane, from, to: upTo, limit: chunk })
    const rows = part.entries.filter(({ order }) => order > from && order <= upTo)
    // The record that contains the bound may have rows before it.
    yield { rows, isWhole: part.unreadable.length === 0 }
    const edge = edgeOf(part, false)
    if (!part.more || edge === undefined || edge <= from) return
    from = edge
  }
}

/**
 * The lanes after a plan: with its rows and edits, and without what it erases.
 *
 * @param upper - blocks of level 1 that the plan writes; it knows those of level 0 itself
 * @param isVoid - whether a stored block is no longer right
 */
export function plannedLanes(
  backend: CoreBackend,
  plan: Plan,
  upper: readonly ClosedBlock[],
  isVoid: (level: Level, branch: string, block: BlockSum) => boolean,
): LaneSource {
  const { hot } = plan.work
  const stored = storedLanes(backend, { hot: { ...hot, version: plan.base.hot.version }, cold: plan.base.cold })
  const marks = new Map<string, Plan['marks'][number]['mark']>()
  for (const { branch, order, mark } of plan.marks) {
    const key = editKey(branch, order)
    if ((marks.get(key)?.order ?? '') < mark.order) marks.set(key, mark)
  }
  const erased = new Set(
    plan.erase.flatMap(({ branch, order }) => (branch === undefined ? [] : editKey(branch, order))),
  )
  const added = new Map<string, StoredEntry[]>()
  for (const row of plannedRows(plan).values()) {
    if (isControl(row.type)) continue
    const list = added.get(row.branch)
    if (list === undefined) added.set(row.branch, [row])
    else list.push(row)
  }
  for (const list of added.values()) list.sort((a, b) => (a.order < b.order ? -1 : 1))

  const asPlanned = (row: StoredEntry): StoredEntry => {
    const mark = marks.get(editKey(row.branch, row.order))
    return mark === undefined || (row.edit !== undefined && row.edit.order >= mark.order) ? row : { ...row, edit: mark }
  }

  async function* rows(branch: string, after: string, upTo: string): AsyncGenerator<LanePage, void, undefined> {
    const planned = (added.get(branch) ?? []).filter(({ order }) => order > after && order <= upTo)
    let next = 0
    for await (const page of stored.rows(branch, after, upTo)) {
      const last = page.rows.at(-1)?.order ?? ''
      const merged: StoredEntry[] = []
      for (const row of page.rows) {
        while (next < planned.length && planned[next]!.order < row.order) merged.push(planned[next++]!)
        if (planned[next]?.order === row.order) next++
        if (!erased.has(editKey(branch, row.order))) merged.push(asPlanned(row))
      }
      while (next < planned.length && planned[next]!.order <= last) merged.push(planned[next++]!)
      yield { ...page, rows: merged }
    }
    if (next < planned.length) yield { rows: planned.slice(next), isWhole: true }
  }

  return {
    rows,
    blocks: async (level, branch, after, upTo) => {
      const found: BlockSum[] = (await stored.blocks(level, branch, after, upTo)).filter(
        (block) => !isVoid(level, branch, block),
      )
      for (const { branch: owner, block } of level === 0 ? plan.work.closed : upper)
        if (owner === branch && block.end > after && block.from < upTo) found.push(block)
      return found.sort((a, b) => (a.from < b.from ? -1 : 1))
    },
  }
}
