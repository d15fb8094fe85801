import { type CoreBackend, controlLane } from '../../../contract/backend.ts'
import type { JsonObject } from '../../../contract/json.ts'
import type { ColdRow, SessionRows } from '../../../contract/rows.ts'
import type { TermOptions } from '../../../contract/term.ts'
import { given } from '../../../domain/given.ts'
import { inRanges } from '../../../domain/version-vector.ts'
import { changeCold, ownPending } from '../../../domain/work.ts'
import { inTerm } from '../lifecycle/term-method.ts'
import { lanePages } from '../reading/lane-pages.ts'
import type { Pace } from '../work-pace.ts'
import type { Mutation } from '../writing/mutation.ts'
import { type Plan, planControl } from '../writing/plan.ts'
import type { SessionWriter } from '../writing/session-writer.ts'
import {
  batchRows,
  type ErasedRow,
  erasedRow,
  type Findings,
  findErasable,
  isStill,
  type Stretch,
} from './erasable-entries.ts'

/** Rows of one lane to erase together, as they were at a version of the session with this number. */
interface Batch {
  readonly session: number
  readonly version: number
  readonly rows: readonly ErasedRow[]
}

/**
 * Erases entries that are visible on no line and in no checkpoint, and edits, checkpoints and compactions that nothing
 * shows. One entry names all of
 * them as purged, and then they are erased in pieces. After an interruption, the next call finds and erases the rest.
 *
 * @returns how many entries were erased
 */
export async function compactSession(
  backend: CoreBackend,
  writer: SessionWriter,
  key: string,
  options: TermOptions | undefined,
  pace: Pace,
): Promise<number> {
  const found = await writer.run(key, inTerm(purgeMutation(backend, pace), options))
  if (found === undefined) return 0
  let erased = found.first.length
  for (const [i, stretch] of found.stretches.entries()) {
    // Rows before the first one are not read again.
    for (let after: string | undefined = stretch.first.slice(0, -1); after !== undefined; ) {
      const rows = await writer.rows(key)
      if (rows === undefined || rows.hot.deletedAt !== undefined) return erased
      const { batch, next } = await nextBatch(backend, rows, found, stretch, after, pace)
      const isLast = i === found.stretches.length - 1 && next === undefined
      if (batch.rows.length > 0)
        erased += await writer.run(key, inTerm(eraseMutation(backend, batch, isLast, pace), options))
      after = next
    }
  }
  return erased
}

/** Purges everything that nothing shows. */
function purgeMutation(backend: CoreBackend, pace: Pace): Mutation<Findings, Findings | undefined> {
  let known: Findings | undefined
  return {
    durability: 'relaxed',
    needs: ({ hot }) => hot.version > 0 && hot.deletedAt === undefined,
    // In a session of a million messages, other tabs would write during each attempt. Mere appends do not change what
    // is hidden before them.
    prepare: async (rows) =>
      known !== undefined && (await isStill(backend, rows, known))
        ? known
        : (known = await findErasable(backend, rows, pace)),
    plan: (plan, found) => {
      if (found === undefined || plan.work.hot.deletedAt !== undefined) return undefined
      const { ranges, newControls, over, summary } = found
      if (Object.keys(ranges).length > 0)
        planControl(
          plan,
          'purge',
          given({
            ranges,
            controls: Object.keys(newControls).length > 0 ? newControls : undefined,
            summary,
          }) as unknown as JsonObject,
          '',
        )
      if (over.length > 0) for (const target of over) delete ownPending(plan.work)[target]
      eraseRows(plan, found.first)
      return found
    },
  }
}

/** @returns rows of a stretch that are purged and still stored, and where to continue, unless that was all */
async function nextBatch(
  backend: CoreBackend,
  { hot, cold }: SessionRows,
  { controls }: Findings,
  { branch, last }: Stretch,
  after: string,
  pace: Pace,
): Promise<{ batch: Batch; next?: string }> {
  const rows: ErasedRow[] = []
  const { session, version } = hot
  const batch: Batch = { session, version, rows }
  const lane = laneOf(cold, branch)
  const gone = branch === undefined ? controls : cold.purged
  if (lane !== undefined) {
    for await (const page of lanePages(backend, session, lane, after, pace)) {
      for (const row of page) {
        if (row.order > last) return { batch }
        if (inRanges(gone, row.w, row.s)) rows.push(erasedRow(row))
        if (rows.length === batchRows) return { batch, next: row.order }
      }
    }
  }
  return { batch }
}

/** @param isLast - the mirror is informed again then, because it may have read the entries before they were erased */
function eraseMutation(
  backend: CoreBackend,
  batch: Batch,
  isLast: boolean,
  pace: Pace,
): Mutation<readonly ErasedRow[], number> {
  return {
    durability: 'relaxed',
    prepare: async (rows) => {
      // The session was erased and begun anew. An import may have given it the same orders.
      if (rows.hot.session !== batch.session) return []
      if (rows.hot.version === batch.version) return batch.rows
      // Another tab may have erased some of them.
      const [first, last] = [batch.rows[0]!, batch.rows.at(-1)!]
      const asked = new Map(batch.rows.map((row) => [row.order, row]))
      const there: ErasedRow[] = []
      for await (const page of lanePages(
        backend,
        rows.hot.session,
        laneOf(rows.cold, first.branch) ?? 0,
        first.order.slice(0, -1),
        pace,
      )) {
        for (const { order } of page) if (asked.has(order)) there.push(asked.get(order)!)
        if ((page.at(-1)?.order ?? '') > last.order) break
      }
      return there
    },
    plan: (plan, rows = []) => {
      if (plan.work.hot.deletedAt !== undefined) return 0
      eraseRows(plan, rows)
      if (isLast) changeCold(plan.work, {})
      return rows.length
    },
  }
}

function laneOf({ lanes }: ColdRow, branch: string | undefined): number | undefined {
  if (branch === undefined) return controlLane
  return Object.hasOwn(lanes, branch) ? lanes[branch] : undefined
}

function eraseRows(plan: Plan, rows: readonly ErasedRow[]): void {
  for (const row of rows) {
    const { bytes, named } = row
    plan.erase.push(row)
    for (const hash of named) plan.unnamed.set(hash, (plan.unnamed.get(hash) ?? 0) + 1)
    plan.work.hot.entries -= 1
    plan.work.hot.bytes -= bytes
  }
}
