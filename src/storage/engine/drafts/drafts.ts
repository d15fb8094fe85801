import type { CoreBackend, StoredDraft } from '../../../contract/backend.ts'
import type { DraftChunk } from '../../../contract/change.ts'
import { checkDraftChunk } from '../../../contract/check-draft-chunk.ts'
import type { DraftRow } from '../../../contract/draft-row.ts'
import { SessionError } from '../../../contract/errors.ts'
import type { JsonValue } from '../../../contract/json.ts'
import type { HotRow, SessionRows, StoredEntry } from '../../../contract/rows.ts'
import type { DraftOptions } from '../../../contract/store/session-drafts.ts'
import type { StoredChunk } from '../../../contract/write-batch.ts'
import { given } from '../../../domain/given.ts'
import { messageParts } from '../../../domain/reply-message.ts'
import type { LineTail } from '../../../domain/tail.ts'
import { turnOfReply } from '../../../domain/writer.ts'
import { refuseMissing, restartDeleted } from '../lifecycle/lifecycle.ts'
import { viewOf } from '../reading/entry-view.ts'
import { findLine, openLine } from '../reading/open-line.ts'
import { isTailKnown, readRow, readUnknownTail } from '../reading/session-reader.ts'
import { createEmpty } from '../writing/history.ts'
import { checkObject, checkShape } from '../writing/input.ts'
import type { Mutation } from '../writing/mutation.ts'
import { isLive } from './draft-view.ts'

interface OpeningFacts {
  /** The draft, if it exists already. */
  readonly there: StoredDraft | undefined
  /** Whether it was opened before the session was restarted, too, so that there are pieces of that one. */
  readonly wasThere: boolean
  /** The entry to resume, … */
  readonly row: StoredEntry | undefined
  /** … and whether another draft resumes it. */
  readonly isTaken: boolean
  /** The last turn of the line, if only a read tells. */
  readonly tail: LineTail | undefined
}

/** @returns a mutation whose result is the draft's row, if the draft is new */
export function openDraftMutation(
  backend: CoreBackend,
  id: string,
  owner: string | undefined,
  options: DraftOptions,
): Mutation<OpeningFacts, { readonly row: DraftRow; readonly chunk?: StoredChunk } | undefined> {
  const { role, mid, branch, onDeleted, resume: wanted, id: asked } = options ?? {}
  if (typeof role !== 'string' || role === '')
    throw new SessionError('InvalidInput', 'A draft needs a role, such as "assistant".')
  if (typeof id !== 'string' || id === '')
    throw new SessionError('InvalidInput', 'The id of a draft must be a non-empty string.')
  if (mid !== undefined && (typeof mid !== 'string' || mid === ''))
    throw new SessionError('InvalidInput', 'The host id of a draft must be a non-empty string.')
  const resume = wanted && { branch: wanted.branch, order: wanted.order, edit: wanted.edit }
  if (wanted !== undefined && (typeof resume?.branch !== 'string' || typeof resume.order !== 'string'))
    throw new SessionError('InvalidInput', 'resume must be an entry that read() gave.')
  return {
    durability: 'relaxed',
    // A draft with an id that was drawn here can't exist yet.
    // After an edit in the last turn, or on another branch, only a read tells to which turn a reply belongs.
    needs: (rows, writer) =>
      asked !== undefined ||
      resume !== undefined ||
      (isThere(rows) && !isTailKnown(rows, writer, branch ?? rows.hot.head)),
    prepare: async (rows, writer) => {
      const all = await backend.loadDrafts(rows.hot.session)
      const drafts = all.filter(({ row }) => isLive(row, rows.hot))
      const line = isThere(rows) ? findLine(rows.cold, branch ?? rows.hot.head) : undefined
      return {
        tail: line && (await readUnknownTail(backend, rows, writer, line)),
        there: drafts.find(({ row }) => row.id === id),
        wasThere: all.some(({ row }) => row.id === id),
        row: resume && (await readRow(backend, rows, resume.branch, resume.order)),
        isTaken: drafts.some(
          ({ row }) =>
            row.id !== id &&
            row.resumes?.order === resume?.order &&
            row.resumes?.branch === resume?.branch &&
            resume !== undefined,
        ),
      }
    },
    plan: (plan, facts) => {
      if (facts?.there !== undefined) return undefined
      if (onDeleted === 'refuse' || resume !== undefined) refuseMissing(plan.work, plan.work.hot.key)
      const entry = resume && refuseWhole(facts?.row, resume, facts?.isTaken === true)
      restartDeleted(plan)
      createEmpty(plan)
      const { hot, cold } = plan.work
      const target = entry?.branch ?? branch ?? hot.head
      openLine(cold, target, hot.key)
      const row: DraftRow = given({
        id,
        session: hot.session,
        key: hot.key,
        branch: target,
        role: entry?.message.role ?? role,
        turn: turnOfReply(plan.writer, target, facts?.tail ?? (target === hot.head ? hot.tail : undefined)),
        startedAt: plan.now,
        version: plan.base.hot.version + 1,
        owner,
        resumes: entry && { branch: entry.branch, order: entry.order },
      })
      if (facts?.wasThere === true) plan.drafts.push({ drop: id })
      plan.drafts.push({ put: row })
      if (entry === undefined && mid === undefined) return { row }
      const chunk: StoredChunk = given({
        parts: entry && messageParts(entry.message),
        mid: entry === undefined ? mid : entry.mid,
      })
      plan.drafts.push({ draft: id, n: 0, chunk })
      return { row, chunk }
    },
  }
}

const isThere = ({ hot }: SessionRows): boolean => hot.version > 0 && hot.deletedAt === undefined

/** Returns the entry to resume. @throws when it can't be resumed */
function refuseWhole(row: StoredEntry | undefined, resume: NonNullable<DraftOptions['resume']>, isTaken: boolean) {
  const entry = row && viewOf(row)
  const { branch, order } = resume
  if (entry?.message?.['interrupted'] !== true || row?.edit?.value === null) {
    throw new SessionError(
      'InvalidInput',
      `There is no interrupted reply at ${JSON.stringify({ branch, order })} (any more), so that nothing can be resumed. List the interrupted replies.`,
    )
  }
  if (entry.edit !== resume.edit)
    throw new SessionError(
      'ParentMoved',
      `Entry "${entry.id}" was edited since it was read. Read it again and resume that version.`,
    )
  if (isTaken)
    throw new SessionError(
      'AccessDenied',
      `Entry "${entry.id}" is already being resumed, here or in another tab. Subscribe to follow it.`,
    )
  return { ...entry, message: entry.message }
}

/** Rows of a session, as they are or as they are planned. */
type AnyRows = { readonly hot: HotRow }

/** Looks a draft up. */
interface DraftFinder {
  /** @throws when it is not there */
  find(rows: SessionRows): Promise<void>
  /** The error to throw then. */
  whyNot(rows: AnyRows): SessionError
}

/** @param isOpenHere - whether this store opened it there or has read it before, so that no look-up is needed */
export function writeDraftMutation(
  draft: string,
  n: number,
  chunk: DraftChunk,
  isOpenHere: (rows: AnyRows) => boolean,
  { find, whyNot }: DraftFinder,
): Mutation<true, void> {
  if (!Number.isSafeInteger(n) || n < 0)
    throw new SessionError('InvalidInput', 'The number of a draft write must be a whole number from 0 up.')
  const value = checkObject(chunk, 'chunk')
  checkShape(checkDraftChunk, value as JsonValue, 'chunk')
  let attempts = 0
  return {
    durability: 'relaxed',
    // A second attempt means that another tab wrote first, which may have ended the draft.
    needs: (rows) => attempts > 0 || !isOpenHere(rows),
    prepare: async (rows) => {
      refuseMissing(rows, rows.hot.key)
      await find(rows)
      return true
    },
    plan: (plan, isFound) => {
      attempts++
      refuseMissing(plan.work, plan.work.hot.key)
      // A call before this one may have begun the session anew.
      if (isFound === undefined && !isOpenHere(plan.work)) throw whyNot(plan.work)
      plan.drafts.push({ draft, n, chunk: { ...(value as DraftChunk), at: plan.now } })
    },
  }
}

/** Erases what is left of drafts that were opened before the session was restarted. */
export function eraseEarlierMutation(backend: CoreBackend): Mutation<readonly StoredDraft[], void> {
  return {
    durability: 'relaxed',
    prepare: ({ hot }) => backend.loadDrafts(hot.session),
    plan: (plan, found = []) => {
      for (const { row } of found) if (!isLive(row, plan.work.hot)) plan.drafts.push({ drop: row.id })
    },
  }
}

/** @param mayDrop - throws when this store may not drop the draft */
export function dropDraftMutation(
  draft: string,
  mayDrop: (rows: SessionRows) => Promise<void>,
  isOpenHere: (rows: AnyRows) => boolean,
): Mutation<void, void> {
  return {
    durability: 'relaxed',
    needs: (rows) => !isOpenHere(rows),
    prepare: mayDrop,
    plan: (plan) => {
      refuseMissing(plan.work, plan.work.hot.key)
      plan.drafts.push({ drop: draft })
    },
  }
}
