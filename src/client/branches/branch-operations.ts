import type { EntryInput, EntryReceipt } from '../../contract/entry.ts'
import { SessionError } from '../../contract/errors.ts'
import type { BranchInfo } from '../../contract/meta.ts'
import type { AppendOptions, AppendResult, BranchOptions, SessionStore, WriteOptions } from '../../contract/store.ts'
import { branchPreviews } from './branch-previews.ts'
import { buildSessionContext } from '../../dialects/pi/build-session-context.ts'
import { findStanding } from './find-standing.ts'
import { mergeBranch } from './merge-branch.ts'
import { questionOf } from './question-of.ts'
import { readTree } from './read-tree.ts'
import type { BranchOperations, NewBranchOptions } from './branch-types.ts'

export interface BranchOperationParts {
  readonly store: SessionStore
  readonly key: string
  appendAll(entries: readonly EntryInput[], options?: AppendOptions): Promise<AppendResult>
}

/** Makes what is done with the lines of a session. */
export function createBranchOperations({ store, key, appendAll }: BranchOperationParts): BranchOperations {
  const open = (after: BranchOptions['after'] | undefined, options: NewBranchOptions = {}): Promise<BranchInfo> =>
    store.openBranch(key, { ...options, after: after === undefined || after === 'start' ? 'start' : { branch: after.branch, order: after.order } })

  const headOf = (branches: readonly BranchInfo[]): BranchInfo => branches.find(({ isHead }) => isHead) ?? { id: '', isHead: true, createdAt: 0, newerThanHead: 0 }
  const lastEntry = async () => (await store.read(key, { last: 1 })).entries[0]

  /** Appends behind a place of a line: on a branch of its own, where the line goes on from there. */
  const appendBehind = (entry: EntryInput, branch: string, parent: string, options: WriteOptions = {}): Promise<AppendResult> =>
    appendAll([entry], { ...options, branch, parent, onConflict: 'branch' })

  return {
    branches: () => store.listBranches(key),
    branchPreviews: () => branchPreviews(store, key),
    tree: () => readTree(store, key),
    branchBefore: async (entry, options) => open((await findStanding(store, key, entry)).before, options),
    branchAfter: async (entry, options) => open((await findStanding(store, key, entry)).entry, options),
    regenerate: async (reply, options) => {
      const asked = reply ?? (await lastEntry())
      if (asked === undefined) throw new SessionError('InvalidInput', `Session "${key}" has no reply that could be written anew. Append a message first.`)
      const standing = await findStanding(store, key, asked)
      return open((await questionOf(store, key, standing)) ?? standing.before, options)
    },
    editAndResend: async (target, message, options) => {
      const { line, entry, before } = await findStanding(store, key, target)
      if (entry.message === undefined) throw new SessionError('InvalidInput', `Entry "${entry.id}" of session "${key}" is a ${entry.type}. Only a message can be said anew.`)
      return appendBehind({ type: 'message', message }, line, before?.order ?? '', options)
    },
    switchBranch: (branch, options) => store.switchBranch(key, branch, options),
    nameBranch: (branch, name, options) => store.updateBranch(key, branch, { name }, options),
    deleteBranch: (branch, options) => store.deleteBranch(key, branch, options),
    mergeBranch: (from, into) => mergeBranch({ store, key, from, into, appendAll }),
    branch: async (after) => {
      const place = after === null ? undefined : (await findStanding(store, key, after)).entry
      const [last] = (await store.read(key, { last: 1, view: 'raw' })).entries
      return last?.id === place?.id ? headOf(await store.listBranches(key)) : open(place)
    },
    branchWithSummary: async (after, summary, { details, ...options } = {}) => {
      if (typeof summary !== 'string') throw new SessionError('InvalidInput', `A branch summary is a text, got ${typeof summary}. Nothing was written.`)
      const standing = after === null ? undefined : await findStanding(store, key, after)
      const { id: head } = headOf(await store.listBranches(key))
      const data = { fromId: standing === undefined ? 'root' : (standing.entry.mid ?? standing.entry.id), summary, ...(details === undefined ? {} : { details }) }
      const { entries, branch, moved } = await appendBehind({ type: 'branch_summary', data }, standing?.line ?? head, standing?.entry.order ?? '', options)
      // Where that line ends there, no branch was opened, but new turns are to go there all the same.
      if (!moved && branch !== head) await store.switchBranch(key, branch)
      return entries[0] as EntryReceipt
    },
    buildSessionContext: (leaf) => buildSessionContext(store, key, leaf),
  }
}
