import type { CoreBackend, StoredDraft } from '../../../contract/backend.ts'
import type { EntryReceipt, EntryRef } from '../../../contract/entry.ts'
import { SessionError } from '../../../contract/errors.ts'
import type { JsonObject, JsonValue } from '../../../contract/json.ts'
import type { Message } from '../../../contract/message.ts'
import type { SessionRows, StoredEntry } from '../../../contract/rows.ts'
import type { WriteOptions } from '../../../contract/store/write-options.ts'
import { entryId } from '../../../domain/address.ts'
import { compareClocks, tick } from '../../../domain/clock.ts'
import { given } from '../../../domain/given.ts'
import { lineOf } from '../../../domain/line.ts'
import { replyMessage } from '../../../domain/reply-message.ts'
import type { LineTail } from '../../../domain/tail.ts'
import { hasOpenCalls } from '../../../domain/tool-calls.ts'
import { writerInTurn } from '../../../domain/writer.ts'
import { refuseDeleted, refuseMissing } from '../lifecycle/lifecycle.ts'
import { receiptOf, viewOf } from '../reading/entry-view.ts'
import { findLine } from '../reading/open-line.ts'
import { readRow, readUnknownTail } from '../reading/session-reader.ts'
import { checkDurability, checkMessage, messageLine, operationOf } from '../writing/input.ts'
import type { Mutation } from '../writing/mutation.ts'
import type { Plan } from '../writing/plan.ts'
import { planControl, planLine } from '../writing/plan.ts'
import type { DraftOwners } from './draft-owners.ts'
import { draftView, loadLiveDrafts, midOf } from './draft-view.ts'
import { endedDraft, type OpenDrafts } from './open-drafts.ts'

/**
 * The operation that ended a draft of an owner that seemed dead. If the owner was alive, it finds the entry of its
 * reply through this operation.
 */
export const interruption = (draft: string): string => `interrupted:${draft}`

interface SealFacts {
  readonly stored: StoredDraft | undefined
  /** The line the reply goes to. */
  readonly branch: string
  /** Host message id of a new entry. */
  readonly mid: string | undefined
  /** The entry to complete; absent for a new one. */
  readonly target: StoredEntry | undefined
  readonly tail: LineTail | undefined
}

/**
 * Turns a draft into an entry, or completes the entry that it resumes. Its rows are erased in the same commit.
 *
 * @param owners - checks who may do it, and says why it is not there; absent: the owner is dead, so that the entry is
 * marked `interrupted`
 */
export function sealDraftMutation(
  backend: CoreBackend,
  draft: string,
  message: Message | undefined,
  options?: WriteOptions,
  owners?: DraftOwners & { readonly open: Pick<OpenDrafts, 'whyNot'> },
): Mutation<SealFacts | undefined, EntryReceipt> {
  const checked = message === undefined ? undefined : checkMessage(message)
  return {
    durability: checkDurability(options) ?? (checked !== undefined && hasOpenCalls([checked]) ? 'relaxed' : 'strict'),
    // Another draft with the same message is the same reply.
    operation: operationOf(options, 'sealDraft', [checked === undefined ? draft : (checked as unknown as JsonValue)]),
    prepare: async (rows, writer) => {
      refuseMissing(rows, rows.hot.key)
      const stored = (await loadLiveDrafts(backend, rows)).find(({ row }) => row.id === draft)
      await owners?.refuseForeign(stored)
      const place =
        stored === undefined
          ? await findInterrupted(backend, rows, draft, checked)
          : {
              // Another tab may have deleted the branch meanwhile, where nobody would see the reply.
              branch: findLine(rows.cold, stored.row.branch) === undefined ? rows.hot.head : stored.row.branch,
              mid: midOf(stored.chunks),
              target: stored.row.resumes,
            }
      if (place === undefined) return undefined
      const { branch, mid } = place
      const target = place.target && (await readRow(backend, rows, place.target.branch, place.target.order))
      const line = lineOf(rows.cold, branch)
      // A dead owner's turn is not that of the writer that seals its draft.
      const sealing = owners === undefined ? { w: writer.w } : writer
      return { stored, branch, mid, target, tail: line && (await readUnknownTail(backend, rows, sealing, line)) }
    },
    plan: (plan, facts) => {
      refuseDeleted(plan.work, plan.work.hot.key)
      if (facts === undefined) throw owners === undefined ? endedDraft(draft) : owners.open.whyNot(draft, plan.work.hot)
      const { stored, branch, mid, target, tail } = facts
      const whole = checked ?? checkMessage(messageOf(stored!, owners === undefined, target))
      if (stored !== undefined) plan.drafts.push({ drop: draft })
      if (target?.edit?.value === null && owners !== undefined) throw removedMeanwhile(target)
      // What was removed must not come back because a page died that resumed it.
      if (target !== undefined) return target.edit?.value === null ? receiptOf(target) : editEntry(plan, target, whole)
      const line = messageLine(whole, plan.now, mid)
      return planReply(plan, stored?.row.branch === branch ? stored : undefined, owners === undefined, () =>
        receiptOf(planLine(plan, line.plannedEntry, line.bytes, branch, tail)),
      )
    },
  }
}

/** Plans a reply in the turn that its draft was begun in. @param isForeign - whether another writer began it */
function planReply(
  plan: Plan,
  stored: StoredDraft | undefined,
  isForeign: boolean,
  planEntry: () => EntryReceipt,
): EntryReceipt {
  const before = plan.writer
  const { branch, turn } = stored?.row ?? {}
  if (branch !== undefined && turn !== undefined)
    plan.writer = writerInTurn(before, branch, turn, tick(plan.work.hot.clock, plan.now))
  else if (isForeign) plan.writer = { w: before.w }
  const receipt = planEntry()
  const { handle } = before
  // What the writer does in a later turn goes on there.
  if (isForeign || (handle !== undefined && turn !== undefined && compareClocks(handle.turn, turn) > 0))
    plan.writer = before
  return receipt
}

/** Ends an empty draft of a dead owner, and notes the line or the entry that it was for. */
export function forgetDraftMutation(
  draft: string,
  { row: { branch, resumes }, chunks }: StoredDraft,
): Mutation<undefined, { readonly branch: string; readonly order?: string; readonly mid?: string }> {
  return {
    durability: 'relaxed',
    operation: operationOf({ operationId: interruption(draft) }, 'sealDraft', [draft]),
    plan: (plan) => {
      plan.drafts.push({ drop: draft })
      return resumes ?? given({ branch, mid: midOf(chunks) })
    },
  }
}

/** Where a reply goes that was taken for dead: into an entry, or to the end of a line. */
interface InterruptedPlace extends Pick<SealFacts, 'branch' | 'mid'> {
  readonly target: Extract<EntryRef, { order: string }> | undefined
}

/** Finds the entry of a draft whose owner was taken for dead. Without a message there is nothing to add to it. */
async function findInterrupted(
  backend: CoreBackend,
  { hot: known }: SessionRows,
  draft: string,
  message: Message | undefined,
): Promise<InterruptedPlace | undefined> {
  if (message === undefined) return undefined
  const id = interruption(draft)
  // Another tab did it, and the owner that was taken for dead may not know yet.
  const rows = await backend.loadSession(known.key)
  if (rows === undefined) return undefined
  const { hot, cold } = rows
  const found = hot.recent.find((operation) => operation.id === id) ?? (await backend.findOperation(hot.session, id))
  if (found === undefined) return undefined
  const { branch, order, mid } = found.result as { branch: string; order?: string; mid?: string }
  return {
    branch: findLine(cold, branch) === undefined ? hot.head : branch,
    mid,
    target: order === undefined ? undefined : { branch, order },
  }
}

/** The content of the draft, on top of the content of the entry that it resumes. */
function messageOf(stored: StoredDraft, isInterrupted: boolean, target: StoredEntry | undefined): Message {
  const { role, parts } = draftView(stored)
  return replyMessage(role, parts, isInterrupted ? 'interrupted' : 'complete', target && viewOf(target).message)
}

const removedMeanwhile = (target: StoredEntry): SessionError =>
  new SessionError(
    'InvalidInput',
    `Entry "${entryId(target.w, target.s)}" was removed while it was resumed, so that it can't be completed. Append what was streamed as a new message, or drop it.`,
  )

function editEntry(plan: Plan, row: StoredEntry, message: Message): EntryReceipt {
  const mid = row.data['mid']
  const value = { message: message as unknown as JsonObject, ...(typeof mid === 'string' ? { mid } : {}) }
  planControl(plan, 'edit', { branch: row.branch, order: row.order, value }, '', row)
  return receiptOf(row)
}
