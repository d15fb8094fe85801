import type { CoreBackend, StoredDraft } from '../../contract/backend.ts'
import type { DraftChunk, DraftView } from '../../contract/change.ts'
import type { EntryReceipt } from '../../contract/entry.ts'
import { SessionError } from '../../contract/errors.ts'
import type { JsonValue } from '../../contract/json.ts'
import type { Message } from '../../contract/message.ts'
import type { SessionRows, TailState } from '../../contract/rows.ts'
import type { DraftOptions, WriteOptions } from '../../contract/store.ts'
import { lineOf } from '../../domain/line.ts'
import { callIds } from '../../domain/tool-calls.ts'
import { receiptOf } from './entry-view.ts'
import { checkDurability, checkMessage, checkObject, messageLine, operationOf } from './input.ts'
import { refuseDeleted, refuseMissing, restartDeleted } from './lifecycle.ts'
import { planLine } from './plan.ts'
import { createEmpty } from './history.ts'
import { openLine } from './open-line.ts'
import { readTail } from './session-reader.ts'
import type { Mutation } from './session-writer.ts'

/** @returns of the mutation: whether the draft was not there yet */
export function openDraftMutation(backend: CoreBackend, id: string, owner: string | undefined, options: DraftOptions): Mutation<boolean, boolean> {
  const { role, branch, onDeleted } = options ?? {}
  if (typeof role !== 'string' || role === '') throw new SessionError('InvalidInput', 'A draft needs a role, such as "assistant".')
  if (typeof id !== 'string' || id === '') throw new SessionError('InvalidInput', 'The id of a draft must be a text that is not empty.')
  return {
    durability: 'relaxed',
    // A draft whose id was drawn here can't be there yet.
    needs: () => options.id !== undefined,
    prepare: async (rows) => (await loadLiveDrafts(backend, rows)).some(({ row }) => row.id === id),
    plan: (plan, isThere) => {
      if (isThere === true) return false
      if (onDeleted === 'refuse') refuseMissing(plan.work, plan.work.hot.key)
      restartDeleted(plan)
      createEmpty(plan)
      const { hot, cold } = plan.work
      const target = branch ?? hot.head
      openLine(cold, target, hot.key)
      plan.drafts.push({ put: { id, session: hot.session, key: hot.key, branch: target, role, startedAt: plan.now, version: plan.base.hot.version + 1, ...(owner === undefined ? {} : { owner }) } })
      return true
    },
  }
}

export function writeDraftMutation(draft: string, n: number, chunk: DraftChunk, isOpen: (rows: SessionRows) => Promise<boolean>): Mutation<boolean, void> {
  if (!Number.isSafeInteger(n) || n < 0) throw new SessionError('InvalidInput', 'The number of a draft write must be a whole number from 0 up.')
  const value = checkObject(chunk, 'chunk')
  const { text, reasoning } = value
  if ([text, reasoning].some((part) => part !== undefined && typeof part !== 'string')) throw new SessionError('InvalidInput', 'chunk.text and chunk.reasoning must be texts.')
  return {
    durability: 'relaxed',
    prepare: async (rows) => {
      refuseMissing(rows, rows.hot.key)
      return isOpen(rows)
    },
    plan: (plan, open) => {
      if (open !== true) throw endedDraft(draft)
      plan.drafts.push({ draft, n, chunk: value as DraftChunk })
    },
  }
}

export function dropDraftMutation(draft: string): Mutation<undefined, void> {
  return {
    durability: 'relaxed',
    plan: (plan) => {
      refuseMissing(plan.work, plan.work.hot.key)
      plan.drafts.push({ drop: draft })
    },
  }
}

interface SealFacts {
  readonly stored: StoredDraft | undefined
  readonly tail: TailState | undefined
}

/** Turns a draft into an entry; its rows go in the same commit. */
export function sealDraftMutation(backend: CoreBackend, draft: string, message: Message | undefined, options?: WriteOptions, interrupted = false): Mutation<SealFacts, EntryReceipt> {
  const checked = message === undefined ? undefined : checkMessage(message)
  return {
    durability: checkDurability(options) ?? (checked !== undefined && callIds(checked).length > 0 ? 'relaxed' : 'strict'),
    operation: operationOf(options, 'sealDraft', [draft, (checked ?? null) as unknown as JsonValue]),
    prepare: async (rows, writer) => {
      refuseMissing(rows, rows.hot.key)
      const stored = (await loadLiveDrafts(backend, rows)).find(({ row }) => row.id === draft)
      const branch = stored?.row.branch ?? ''
      const line = lineOf(rows.cold, branch)
      const knowsTail = writer.handle?.branch === branch || (branch === rows.hot.head && rows.hot.tail !== undefined)
      return { stored, tail: line === undefined || knowsTail ? undefined : await readTail(backend, rows, line) }
    },
    plan: (plan, facts) => {
      refuseDeleted(plan.work, plan.work.hot.key)
      const stored = facts?.stored
      if (stored === undefined) throw endedDraft(draft)
      const line = messageLine(checked ?? draftMessage(stored, interrupted), plan.now)
      plan.drafts.push({ drop: draft })
      return receiptOf(planLine(plan, line.draft, line.bytes, stored.row.branch, facts?.tail))
    },
  }
}

function draftMessage(stored: StoredDraft, interrupted: boolean): Message {
  const { role, text, reasoning } = draftView(stored)
  return checkMessage({ role, content: text, ...(reasoning === '' ? {} : { reasoning_content: reasoning }), ...(interrupted ? { interrupted: true } : {}) })
}

/** Drafts of a session that were opened since it last started afresh. */
export async function loadLiveDrafts(backend: CoreBackend, { hot }: SessionRows): Promise<readonly StoredDraft[]> {
  return (await backend.loadDrafts(hot.session)).filter(({ row }) => row.version >= (hot.restarted ?? 0))
}

export function draftView({ row, chunks }: StoredDraft): DraftView {
  return {
    id: row.id,
    branch: row.branch,
    role: row.role,
    text: chunks.map(({ chunk }) => chunk.text ?? '').join(''),
    reasoning: chunks.map(({ chunk }) => chunk.reasoning ?? '').join(''),
    startedAt: row.startedAt,
  }
}

function endedDraft(draft: string): SessionError {
  return new SessionError('InvalidInput', `Draft "${draft}" has ended or never was. openDraft() starts a new one.`)
}
