import type { CoreBackend } from '../../contract/backend.ts'
import { checkMessage } from '../../contract/check-message.ts'
import { anyObject, type Check, count, fields, filledText, listOf, optional, orNull, recordOf, text } from '../../contract/check.ts'
import type { EntryReceipt, EntryRef, VersionVector } from '../../contract/entry.ts'
import { SessionError } from '../../contract/errors.ts'
import type { JsonObject } from '../../contract/json.ts'
import type { CompactionInput, WriteOptions } from '../../contract/store.ts'
import { knownVector } from '../../domain/arrive.ts'
import { orderEnd } from '../../domain/order.ts'
import { planTruncation } from '../../domain/truncation.ts'
import { joinVectors } from '../../domain/version-vector.ts'
import { receiptOf } from './entry-view.ts'
import { checkRef, findTarget } from './history.ts'
import { checkDurability, checkObject, checkShape, operationOf } from './input.ts'
import { refuseDeleted } from './lifecycle.ts'
import { openLine } from './open-line.ts'
import { planControl } from './plan.ts'
import { readLine, readNewestMessages } from './session-reader.ts'
import type { Mutation } from './session-writer.ts'

const checkCompaction: Check = fields({
  summary: text,
  messages: optional(listOf(checkMessage)),
  keepLast: optional(count),
  branch: optional(text),
  covers: optional(recordOf(count)),
  replaces: optional(orNull(filledText)),
  tokensBefore: optional(count),
  tokensAfter: optional(count),
  details: optional(anyObject),
})

type CheckedInput = JsonObject & { summary: string; firstKept?: EntryRef; keepLast?: number; branch?: string; covers?: VersionVector; replaces?: string | null }

/** Stores a summary that stands for everything before the kept part of a line. */
export function compactionMutation(backend: CoreBackend, input: CompactionInput, options?: WriteOptions): Mutation<string, EntryReceipt> {
  const value = checkObject(input, 'compaction')
  checkShape(checkCompaction, value, 'compaction')
  const { firstKept, keepLast, branch: asked, covers, replaces, ...rest } = value as CheckedInput
  if ((firstKept === undefined) === (keepLast === undefined)) throw new SessionError('InvalidInput', 'Give either compaction.firstKept or compaction.keepLast.')
  const first = firstKept === undefined ? undefined : checkRef(firstKept)
  return {
    durability: checkDurability(options) ?? 'strict',
    operation: operationOf(options, 'setCompaction', value),
    needs: (rows) => rows.hot.version > 0,
    prepare: async (rows) => {
      const line = openLine(rows.cold, asked ?? rows.hot.head, rows.hot.key)
      if (keepLast !== undefined) {
        const newestFirst = await readNewestMessages(backend, rows, line, 'context', keepLast + 1)
        // Everything stays when there is not more than that.
        return keepLast === 0 ? orderEnd : (planTruncation(newestFirst, keepLast) ?? '')
      }
      const kept = await findTarget(backend, rows, first!)
      if (kept === undefined) throw new SessionError('InvalidInput', 'compaction.firstKept names no entry of the session.')
      const before = await readLine(backend, rows, line, { view: 'raw', direction: 'backward', from: kept.order, limit: 1 })
      return before.rows[0]?.order ?? ''
    },
    plan: (plan, order = '') => {
      const { key, head } = plan.work.hot
      refuseDeleted(plan.work, key)
      const branch = asked ?? head
      const active = openLine(plan.work.cold, branch, key).compaction?.cut
      if (replaces !== undefined && replaces !== (active?.id ?? null)) {
        throw new SessionError('ParentMoved', `The summary was to replace ${named(replaces)}, but by now the line has ${named(active?.id ?? null)}. Read the context again, and summarise that.`)
      }
      const known = knownVector(plan.work)
      if (covers === undefined) return receiptOf(planControl(plan, 'compaction', { ...rest, order, vv: known }, branch))
      // The active one is replaced, so what it hides must stay hidden by this one. Its part may end later, where an older message came late.
      const { order: hidden = '', vv = {} } = active ?? {}
      const reach = hidden > order ? hidden : order
      return receiptOf(planControl(plan, 'compaction', { ...rest, order: reach, vv: joinVectors(vv, withinOf(covers, known)) }, branch))
    },
  }
}

const named = (compaction: string | null): string => (compaction === null ? 'no compaction' : `compaction ${compaction}`)

/** What of a vector is known: nobody can have summarised what is still to come. */
function withinOf(vector: VersionVector, known: VersionVector): VersionVector {
  return Object.fromEntries(Object.entries(vector).flatMap(([writer, next]) => (Object.hasOwn(known, writer) ? [[writer, Math.min(next, known[writer]!)]] : [])))
}
