import { type CoreBackend, controlLane } from '../../../contract/backend.ts'
import type { SequenceRanges } from '../../../contract/entry.ts'
import type { JsonObject } from '../../../contract/json.ts'
import type { SessionRows, StoredEntry } from '../../../contract/rows.ts'
import type { TermOptions } from '../../../contract/term.ts'
import { namedBlobs } from '../../../domain/named-blobs.ts'
import { orderEnd } from '../../../domain/order.ts'
import { judgePurge } from '../../../domain/purge.ts'
import { createSequenceSet } from '../../../domain/sequence-set.ts'
import { inRanges } from '../../../domain/version-vector.ts'
import { changeCold } from '../../../domain/work.ts'
import { inTerm } from '../lifecycle/term-method.ts'
import { lanePages } from '../reading/lane-pages.ts'
import type { Pace } from '../work-pace.ts'
import type { Mutation } from '../writing/mutation.ts'
import { type Plan, planControl } from '../writing/plan.ts'
import type { SessionWriter } from '../writing/session-writer.ts'

/** How many entries one transaction erases. */
const batchRows = 2048

/** The entries of a session that can be erased. */
interface Findings {
  /** Addresses of entries that nothing shows, and that no `purge` names yet. */
  readonly ranges: SequenceRanges
  /** The first of those. They are erased in the transaction that names them, which for most sessions is all. */
  readonly first: readonly ErasedRow[]
  /** For each branch, the first and the last order that is left to erase, including entries that were purged before. */
  readonly stretches: ReadonlyMap<string, { readonly first: string; readonly last: string }>
  /** The number of the session, and the version of its cold row, that this is valid for. */
  readonly session: number
  readonly coldVersion: number
  readonly lastControl: string
}

interface ErasedRow {
  readonly branch: string
  readonly order: string
  readonly bytes: number
  readonly named: ReadonlySet<string>
}

/** Rows of one branch to erase together, as they were at a version of the session with this number. */
interface Batch {
  readonly session: number
  readonly version: number
  readonly rows: readonly ErasedRow[]
}

/**
 * Erases entries that are visible on no line and in no checkpoint. One entry names all of them as purged, and then they
 * are erased in pieces. After an interruption, the next call finds and erases the rest.
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
  let erased = found?.first.length ?? 0
  const stretches = [...(found?.stretches ?? [])]
  for (const [i, [branch, { first, last }]] of stretches.entries()) {
    // Rows before the first one are not read again.
    for (let after: string | undefined = first.slice(0, -1); after !== undefined; ) {
      const rows = await writer.rows(key)
      if (rows === undefined || rows.hot.deletedAt !== undefined) return erased
      const { batch, next } = await nextBatch(backend, rows, branch, after, last, pace)
      const isLast = i === stretches.length - 1 && next === undefined
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
      known !== undefined && (await isStill(backend, rows, known)) ? known : (known = await look(backend, rows, pace)),
    plan: (plan, found) => {
      if (found === undefined || plan.work.hot.deletedAt !== undefined) return undefined
      if (Object.keys(found.ranges).length > 0)
        planControl(plan, 'purge', { ranges: found.ranges as unknown as JsonObject }, '')
      eraseRows(plan, found.first)
      return found
    },
  }
}

async function look(backend: CoreBackend, { hot, cold }: SessionRows, pace: Pace): Promise<Findings> {
  const lastControl = (await controlsAfter(backend, hot.session, '', true)).at(-1)?.order ?? ''
  const gone = createSequenceSet()
  const first: ErasedRow[] = []
  const stretches = new Map<string, { first: string; last: string }>()
  let hasMore = false
  const add = judgePurge<StoredEntry>(cold, (row, wasPurged) => {
    const { w, s, branch, order } = row
    if (!wasPurged) gone.add(w, s)
    if (wasPurged || first.length === batchRows) hasMore = true
    else first.push(erasedRow(row))
    const stretch = stretches.get(branch)
    if (stretch === undefined) stretches.set(branch, { first: order, last: order })
    else {
      if (order < stretch.first) stretch.first = order
      if (order > stretch.last) stretch.last = order
    }
  })
  for (const lane of Object.values(cold.lanes))
    for await (const page of lanePages(backend, hot.session, lane, '', pace)) for (const row of page) add(row)
  return {
    ranges: gone.held(),
    first,
    stretches: hasMore ? stretches : new Map(),
    session: hot.session,
    coldVersion: hot.coldVersion,
    lastControl,
  }
}

/** Whether the facts that decide about lines are unchanged. */
async function isStill(
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

/** @returns rows of a stretch that are purged and still stored, and where to continue, unless that was all */
async function nextBatch(
  backend: CoreBackend,
  { hot, cold }: SessionRows,
  branch: string,
  after: string,
  last: string,
  pace: Pace,
): Promise<{ batch: Batch; next?: string }> {
  const rows: ErasedRow[] = []
  const { session, version } = hot
  const batch: Batch = { session, version, rows }
  const lane = Object.hasOwn(cold.lanes, branch) ? cold.lanes[branch] : undefined
  if (lane !== undefined) {
    for await (const page of lanePages(backend, session, lane, after, pace)) {
      for (const row of page) {
        if (row.order > last) return { batch }
        if (inRanges(cold.purged, row.w, row.s)) rows.push(erasedRow(row))
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
        rows.cold.lanes[first.branch] ?? 0,
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

const erasedRow = (row: StoredEntry): ErasedRow => ({
  branch: row.branch,
  order: row.order,
  bytes: row.bytes,
  named: namedBlobs(row),
})

function eraseRows(plan: Plan, rows: readonly ErasedRow[]): void {
  for (const { branch, order, bytes, named } of rows) {
    plan.erase.push({ branch, order })
    for (const hash of named) plan.unnamed.set(hash, (plan.unnamed.get(hash) ?? 0) + 1)
    plan.work.hot.entries -= 1
    plan.work.hot.bytes -= bytes
  }
}
