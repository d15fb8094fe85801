import type { CoreBackend } from '../../../contract/backend.ts'
import {
  anyObject,
  type Check,
  count,
  fields,
  filledText,
  listOf,
  optional,
  orNull,
  recordOf,
  text,
} from '../../../contract/check.ts'
import { checkMessage } from '../../../contract/check-message.ts'
import type { EntryReceipt, EntryRef, VersionVector } from '../../../contract/entry.ts'
import { SessionError } from '../../../contract/errors.ts'
import type { JsonObject } from '../../../contract/json.ts'
import type { SessionRows, StoredEntry } from '../../../contract/rows.ts'
import type { CompactionInput } from '../../../contract/store/session-compactions.ts'
import type { WriteOptions } from '../../../contract/store/write-options.ts'
import { entryId, writerKey } from '../../../domain/address.ts'
import { addToFingerprint, fingerprintOf } from '../../../domain/context-fingerprint.ts'
import type { Line } from '../../../domain/line.ts'
import { orderEnd } from '../../../domain/order.ts'
import { hiddenPart } from '../../../domain/summary.ts'
import { planTruncation } from '../../../domain/truncation.ts'
import { covers as isCovered, joinVectors } from '../../../domain/version-vector.ts'
import { knownVector } from '../../../domain/work.ts'
import { refuseDeleted } from '../lifecycle/lifecycle.ts'
import { receiptOf } from '../reading/entry-view.ts'
import { findLine, openLine } from '../reading/open-line.ts'
import { contextPages, readAround } from '../reading/read-shown.ts'
import { readLine } from '../reading/session-reader.ts'
import { checkRef, findTarget } from '../writing/find-target.ts'
import { checkDurability, checkObject, checkShape, operationOf } from '../writing/input.ts'
import type { Mutation } from '../writing/mutation.ts'
import { planControl } from '../writing/plan.ts'

const checkCompaction: Check = fields({
  summary: text,
  messages: optional(listOf(checkMessage)),
  keepLast: optional(count),
  branch: optional(text),
  covers: optional(recordOf(count)),
  replaces: optional(orNull(filledText)),
  fingerprint: optional(text),
  tokensBefore: optional(count),
  tokensAfter: optional(count),
  details: optional(anyObject),
})

type CheckedInput = JsonObject & {
  summary: string
  firstKept?: EntryRef
  keepLast?: number
  branch?: string
  covers?: VersionVector
  replaces?: string | null
  fingerprint?: string
}

interface Prepared {
  /** Order of the last hidden entry. */
  readonly order: string
  /**
   * The lowest sequence number of each writer in the part of the context between that order and the end of the active
   * compaction.
   */
  readonly between: VersionVector
  /** The fingerprint of the content that a summary would replace now. */
  readonly fingerprint: string
}

/** Stores a summary that replaces everything before the kept part of a line. */
export function compactionMutation(
  backend: CoreBackend,
  input: CompactionInput,
  options?: WriteOptions,
): Mutation<Prepared, EntryReceipt> {
  const value = checkObject(input, 'compaction')
  checkShape(checkCompaction, value, 'compaction')
  const { firstKept, keepLast, branch: asked, covers, replaces, fingerprint, ...rest } = value as CheckedInput
  if ((firstKept === undefined) === (keepLast === undefined))
    throw new SessionError('InvalidInput', 'Give either compaction.firstKept or compaction.keepLast.')
  const first = firstKept === undefined ? undefined : checkRef(firstKept)
  // A caller who names the first kept entry, or keeps more than there is, and does not say what was summarised, gets
  // those entries back too if they were hidden.
  const isOpenEnded = (order: string): boolean =>
    covers === undefined && (keepLast === undefined || (keepLast > 0 && order === ''))
  return {
    durability: checkDurability(options) ?? 'strict',
    operation: operationOf(options, 'setCompaction', value),
    needs: (rows) => rows.hot.version > 0,
    prepare: async (rows) => {
      const branch = asked ?? rows.hot.head
      if (fingerprint !== undefined && findLine(rows.cold, branch) === undefined) throw changed()
      const line = openLine(rows.cold, branch, rows.hot.key)
      const order =
        keepLast === undefined
          ? await orderBefore(backend, rows, line, first!)
          : await orderOfDropped(backend, rows, line, keepLast)
      const reach = line.compaction?.cut.order ?? ''
      return {
        order,
        between:
          isOpenEnded(order) || reach <= order ? {} : await lowestOf(contextPages(backend, rows, line, order, reach)),
        fingerprint: fingerprint === undefined ? '' : await fingerprintNow(backend, rows, line, order, covers),
      }
    },
    plan: (plan, facts) => {
      const { key, head } = plan.work.hot
      refuseDeleted(plan.work, key)
      if (fingerprint !== undefined && facts?.fingerprint !== fingerprint) throw changed()
      if (facts === undefined && first !== undefined) throw noEntry()
      const { order, between } = facts ?? { order: '', between: {} }
      const branch = asked ?? head
      const active = openLine(plan.work.cold, branch, key).compaction?.cut
      if (replaces !== undefined && replaces !== (active?.id ?? null)) {
        throw new SessionError(
          'ParentMoved',
          `The summary should replace ${named(replaces)}, but the line has ${named(active?.id ?? null)} by now. Read the context again and summarise it.`,
        )
      }
      const known = knownVector(plan.work)
      // The new compaction replaces the active one, and must keep hidden what that hides, even where that reaches
      // further.
      const { order: reach = '', vv = {} } = isOpenEnded(order) ? {} : (active ?? {})
      const covered = uncover(joinVectors(vv, withinOf(covers ?? known, known)), between)
      return receiptOf(
        planControl(plan, 'compaction', { ...rest, order: reach > order ? reach : order, vv: covered }, branch),
      )
    },
  }
}

/**
 * The last entry of the context that goes. It is not the end of its turn or of the line, because this order decides
 * whether a branch has everything that a summary covers.
 */
async function orderOfDropped(backend: CoreBackend, rows: SessionRows, line: Line, keepLast: number): Promise<string> {
  // When there are not more messages than that, everything stays.
  const end = keepLast === 0 ? orderEnd : (planTruncation(await readAround(backend, rows, line, keepLast), 1) ?? '')
  if (!end.endsWith(orderEnd)) return end
  const { rows: last } = await readLine(backend, rows, line, {
    view: 'context',
    direction: 'backward',
    from: end,
    limit: 1,
  })
  return last[0]?.order ?? ''
}

async function orderBefore(backend: CoreBackend, rows: SessionRows, line: Line, firstKept: EntryRef): Promise<string> {
  const kept = await findTarget(backend, rows, firstKept, line)
  if (kept === undefined) throw noEntry()
  const before = await readLine(backend, rows, line, { view: 'raw', direction: 'backward', from: kept.order, limit: 1 })
  return before.rows[0]?.order ?? ''
}

/** The `contextFingerprint` of the part to hide. One page of it is in memory at a time. */
async function fingerprintNow(
  backend: CoreBackend,
  rows: SessionRows,
  line: Line,
  order: string,
  covers: VersionVector | undefined,
): Promise<string> {
  let context = 0
  for await (const page of contextPages(backend, rows, line, '', order)) {
    for (const { w, s, edit } of page)
      if (covers === undefined || isCovered(covers, w, s))
        context = addToFingerprint(context, { id: entryId(w, s), edit: edit?.id })
  }
  return fingerprintOf(context, hiddenPart(rows.cold, line))
}

/** The lowest sequence number of each writer. */
async function lowestOf(pages: AsyncIterable<readonly StoredEntry[]>): Promise<VersionVector> {
  const lowest: Record<string, number> = {}
  for await (const page of pages)
    for (const { w, s } of page) lowest[writerKey(w)] = Math.min(s, lowest[writerKey(w)] ?? s)
  return lowest
}

/**
 * Removes the entries from a vector that must not be covered, together with later ones of the same writers: they stay
 * visible next to their summary.
 */
function uncover(vector: Record<string, number>, lowest: VersionVector): VersionVector {
  for (const [writer, s] of Object.entries(lowest)) if (vector[writer]! > s) vector[writer] = s
  return vector
}

const noEntry = (): SessionError =>
  new SessionError('InvalidInput', 'compaction.firstKept does not name an entry of the session.')

const changed = (): SessionError =>
  new SessionError(
    'ParentMoved',
    'The summarised entries were hidden, removed or edited meanwhile. Read the context again and summarise it.',
  )

const named = (compaction: string | null): string =>
  compaction === null ? 'no compaction' : `compaction ${compaction}`

/** The known part of a vector: a summary can't cover entries that are still to come. */
function withinOf(vector: VersionVector, known: VersionVector): VersionVector {
  return Object.fromEntries(
    Object.entries(vector).flatMap(([writer, next]) =>
      Object.hasOwn(known, writer) ? [[writer, Math.min(next, known[writer]!)]] : [],
    ),
  )
}
