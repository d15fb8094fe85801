import type { BranchOperations, LineOperations } from '../../../src/client/branches/branch-types.ts'
import type { EntryReceipt, EntryRef } from '../../../src/contract/entry.ts'
import type { BranchInfo } from '../../../src/contract/meta.ts'
import { type Ground, inputsBetween, shortMessage } from '../ground.ts'
import { flat, overMessages, type Row, type RowsOf } from '../row.ts'
import { backToMain } from './store-line-rows.ts'
import { appended } from './store-entry-rows.ts'

/** Opens a branch, and goes back to main. */
const opening = (run: (ground: Ground) => Promise<{ readonly id?: string; readonly branch?: string }>): Row =>
  flat(run, { tidy: (ground, _, result) => backToMain(ground, openedBy(result)) })

const openedBy = (result: unknown): string | undefined => {
  const { id, branch } = (result ?? {}) as Partial<BranchInfo & EntryReceipt>
  return branch ?? id
}

/** A branch that main can take messages from. */
async function branchToMerge({ client, key, at }: Ground): Promise<BranchInfo> {
  const branch = await client.openBranch(key, { after: at.last, head: false })
  await client.append(key, inputsBetween(0, 10).map(({ type, message }) => ({ type, message })), { branch: branch.id })
  return branch
}

export const branchRows = {
  branches: flat(({ session }) => session.branches()),
  branchPreviews: flat(({ session }) => session.branchPreviews()),
  tree: flat(({ session }) => session.tree()),
  branchBefore: { 'the last': opening(({ session, at }) => session.branchBefore(at.last)), 'the middle': opening(({ session, at }) => session.branchBefore(at.middle)) },
  branchAfter: { 'the first': opening(({ session, at }) => session.branchAfter(at.first)), 'the middle': opening(({ session, at }) => session.branchAfter(at.middle)), 'the last': opening(({ session, at }) => session.branchAfter(at.last)) },
  regenerate: opening(({ session }) => session.regenerate()),
  editAndResend: {
    'the last question': opening(({ session, at, next }) => session.editAndResend(at.last, shortMessage(next()))),
    'the first question': opening(({ session, at, next }) => session.editAndResend(at.first, shortMessage(next()))),
  },
  switchBranch: flat(({ session, side }) => session.switchBranch(side.id), { tidy: (ground) => backToMain(ground) }),
  nameBranch: flat(({ session, side, next }) => session.nameBranch(side.id, `Named ${next()}`)),
  deleteBranch: flat<BranchInfo>(({ session }, { id }) => session.deleteBranch(id), { prepare: branchToMerge }),
  mergeBranch: overMessages<BranchInfo>(({ session }, { id }) => session.mergeBranch(id), { prepare: branchToMerge, tidy: (ground, { id }) => backToMain(ground, id) }),
  branch: opening(({ session, at }) => session.branch(at.first)),
  branchWithSummary: opening(({ session, at }) => session.branchWithSummary(at.middle, 'It led nowhere.')),
  buildSessionContext: overMessages(({ session }) => session.buildSessionContext()),
} satisfies RowsOf<BranchOperations>

export const lineRows = {
  setLabel: flat<EntryRef>(({ session, next }, target) => session.setLabel(target, `Label ${next()}`), { prepare: appended }),
  labels: overMessages(({ session }) => session.labels()),
  setModel: flat(({ session }) => session.setModel('provider', 'model')),
  setThinkingLevel: flat(({ session }) => session.setThinkingLevel('high')),
  appendCustom: flat(({ session, next }) => session.appendCustom('bench', { n: next() })),
  appendCustomMessage: flat(({ session, next }) => session.appendCustomMessage({ customType: 'bench', content: `Said ${next()}` })),
} satisfies RowsOf<LineOperations>
