import type { EntryInput, EntryView } from '../../contract/entry.ts'
import type { BranchInfo } from '../../contract/meta.ts'
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

/** Opens a branch that continues a line after a place, or that begins from nothing. */
export function openBranchAfter(
  store: Pick<SessionStore, 'openBranch'>,
  key: string,
  line: string,
  place: EntryView | undefined,
  options: NewBranchOptions = {},
): Promise<BranchInfo> {
  const at =
    place === undefined ? ({ after: 'start' } as const) : { after: { branch: place.branch, order: place.order }, line }
  return store.openBranch(key, { ...options, ...at })
}

/** Creates the `branches` group of a session. */
export function createBranches({ store, key, appendStored, openCopy }: BranchParts): SessionBranches {
  return {
    list: () => store.listBranches(key),
    previews: () => branchPreviews(store, key),
    tree: () => readTree(store, key),
    before: async (entry, options) => {
      const { line, before } = await findStanding(store, key, entry)
      return openBranchAfter(store, key, line, before, options)
    },
    after: async (entry, options) => {
      const standing = await findStanding(store, key, entry)
      return openBranchAfter(store, key, standing.line, standing.entry, options)
    },
    switchTo: (id, options) => store.switchBranch(key, id, options),
    rename: (id, name, options) => store.updateBranch(key, id, { name }, options),
    delete: (id, options) => store.deleteBranch(key, id, options),
    merge: (from, into, { signal } = {}) => mergeBranch({ store, key, from, into, signal, appendStored }),
    copy: openCopy,
  }
}
