import type { EntryInput } from '../../contract/entry.ts'
import type { BranchInfo } from '../../contract/meta.ts'
import type { BranchOptions } from '../../contract/store/session-branches.ts'
import type { AppendOptions, AppendResult } from '../../contract/store/session-log.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import type { SessionBranches } from '../session-contract.ts'
import { branchPreviews } from './branch-previews.ts'
import type { NewBranchOptions } from './branch-types.ts'
import { findStanding } from './find-standing.ts'
import { mergeBranch } from './merge-branch.ts'
import { readTree } from './read-tree.ts'

export interface BranchParts {
  readonly store: SessionStore
  readonly key: string
  appendStored(entries: readonly EntryInput[], options?: AppendOptions): Promise<AppendResult>
  readonly openCopy: SessionBranches['copy']
}

/** Opens a branch after a place of a line, or at the start. */
export function openBranchAfter(
  store: Pick<SessionStore, 'openBranch'>,
  key: string,
  place: BranchOptions['after'] | undefined,
  options: NewBranchOptions = {},
): Promise<BranchInfo> {
  const after = place === undefined || place === 'start' ? 'start' : { branch: place.branch, order: place.order }
  return store.openBranch(key, { ...options, after })
}

/** Creates the `branches` group of a session. */
export function createBranches({ store, key, appendStored, openCopy }: BranchParts): SessionBranches {
  return {
    list: () => store.listBranches(key),
    previews: () => branchPreviews(store, key),
    tree: () => readTree(store, key),
    before: async (entry, options) =>
      openBranchAfter(store, key, (await findStanding(store, key, entry)).before, options),
    after: async (entry, options) =>
      openBranchAfter(store, key, (await findStanding(store, key, entry)).entry, options),
    switchTo: (id, options) => store.switchBranch(key, id, options),
    rename: (id, name, options) => store.updateBranch(key, id, { name }, options),
    delete: (id, options) => store.deleteBranch(key, id, options),
    merge: (from, into, { signal } = {}) => mergeBranch({ store, key, from, into, signal, appendStored }),
    copy: openCopy,
  }
}
