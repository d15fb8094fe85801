import type { Session, SessionBranches } from '../../../src/client/session-contract.ts'
import type { EntryReceipt, EntryRef } from '../../../src/contract/entry.ts'
import type { BranchInfo } from '../../../src/contract/meta.ts'
import { piSession } from '../../../src/dialects/pi/pi-session.ts'
import type { PiSession } from '../../../src/dialects/pi/pi-session-contract.ts'
import { type Ground, inputsBetween, shortMessage } from '../ground.ts'
import { flat, overMessages, type Row, type RowsOf } from '../row.ts'
import { appended } from './store-entry-rows.ts'
import { backToMain } from './store-line-rows.ts'

/** Opens a branch, and goes back to main. */
const opening = (run: (ground: Ground) => Promise<{ readonly id?: string; readonly branch?: string }>): Row =>
  flat(run, { tidy: (ground, _, result) => backToMain(ground, openedBy(result)) })

const openedBy = (result: unknown): string | undefined => {
  const { id, branch } = (result ?? {}) as Partial<BranchInfo & EntryReceipt>
  return branch ?? id
}

/** A branch that main can take messages from. */
async function branchToMerge({ client, key, at }: Ground): Promise<BranchInfo> {
  const branch = await client.store.openBranch(key, { after: at.last, head: false })
  await client.store.append(
    key,
    inputsBetween(0, 10).map(({ type, message }) => ({ type, message })),
    { branch: branch.id },
  )
  return branch
}

export const branchRows = {
  list: flat(({ session }) => session.branches.list()),
  previews: flat(({ session }) => session.branches.previews()),
  tree: flat(({ session }) => session.branches.tree()),
  before: {
    'the last': opening(({ session, at }) => session.branches.before(at.last)),
    'the middle': opening(({ session, at }) => session.branches.before(at.middle)),
  },
  after: {
    'the first': opening(({ session, at }) => session.branches.after(at.first)),
    'the middle': opening(({ session, at }) => session.branches.after(at.middle)),
    'the last': opening(({ session, at }) => session.branches.after(at.last)),
  },
  switchTo: flat(({ session, side }) => session.branches.switchTo(side.id), { tidy: (ground) => backToMain(ground) }),
  rename: flat(({ session, side, next }) => session.branches.rename(side.id, `Named ${next()}`)),
  delete: flat<BranchInfo>(({ session }, { id }) => session.branches.delete(id), { prepare: branchToMerge }),
  merge: overMessages<BranchInfo>(
    ({ session }, { id }, { signal }) => session.branches.merge(id, undefined, { signal }),
    { stops: true, prepare: branchToMerge, tidy: (ground, { id }) => backToMain(ground, id) },
  ),
  copy: overMessages(
    ({ session, at }, _, { signal, told }) => session.branches.copy(at.last, { signal, onProgress: told }),
    {
      stops: true,
      tells: true,
      tidy: async ({ client }, _, result) => {
        const copy = result as Session | undefined
        await copy?.close()
        if (copy !== undefined) await client.purge(copy.key)
      },
    },
  ),
} satisfies RowsOf<SessionBranches>

/** Other versions of a question or an answer. */
export const versionRows = {
  regenerate: opening(({ session }) => session.regenerate()),
  editAndResend: {
    'the last question': opening(({ session, at, next }) => session.editAndResend(at.last, shortMessage(next()))),
    'the first question': opening(({ session, at, next }) => session.editAndResend(at.first, shortMessage(next()))),
  },
} satisfies RowsOf<Pick<Session, 'regenerate' | 'editAndResend'>>

export const piRows = {
  branch: opening(({ session, at }) => piSession(session).branch(at.first)),
  branchWithSummary: opening(({ session, at }) => piSession(session).branchWithSummary(at.middle, 'It led nowhere.')),
  buildSessionContext: overMessages(({ session }) => piSession(session).buildSessionContext(), {
    isWhole: 'it returns all messages in one list',
  }),
  setLabel: flat<EntryRef>(({ session, next }, target) => piSession(session).setLabel(target, `Label ${next()}`), {
    prepare: appended,
  }),
  labels: overMessages(({ session }) => piSession(session).labels()),
  setModel: flat(({ session }) => piSession(session).setModel('provider', 'model')),
  setThinkingLevel: flat(({ session }) => piSession(session).setThinkingLevel('high')),
  appendCustom: flat(({ session, next }) => piSession(session).appendCustom('bench', { n: next() })),
  appendCustomMessage: flat(({ session, next }) =>
    piSession(session).appendCustomMessage({ customType: 'bench', content: `Said ${next()}` }),
  ),
  createBranchedSession: overMessages(({ session, at }) => piSession(session).createBranchedSession(at.last), {
    tidy: async ({ client }, _, result) => {
      const copy = result as Session | undefined
      await copy?.close()
      if (copy !== undefined) await client.purge(copy.key)
    },
  }),
} satisfies RowsOf<PiSession>
