import type { BranchInfo, Session, SessionClient } from '../../src/index.ts'
import { counted } from '../ui/format.ts'
import type { Toasts } from '../ui/toasts.ts'
import type { TreeNode } from './read-session-tree.ts'

/** What changes the branches of a conversation, and tells what became of it. Nothing of it is for good. */
export interface BranchActions {
  /** Opens a branch after a message. @returns it, when that could be done */
  fork(session: Session, node: TreeNode): Promise<BranchInfo | undefined>
  name(session: Session, branch: BranchInfo, name: string): Promise<void>
  /** Copies what the line that is shown lacks of a branch. @param name - what it is called */
  merge(session: Session, branch: BranchInfo, name: string): Promise<void>
  /** @param end - where it ends */
  remove(session: Session, branch: BranchInfo, name: string, end: TreeNode): Promise<void>
}

export function createBranchActions(client: SessionClient, toasts: Toasts): BranchActions {
  async function attempt<T>(what: string, work: Promise<T>): Promise<T | undefined> {
    try {
      return await work
    } catch (error) {
      toasts.fail(what, error)
      return undefined
    }
  }

  return {
    fork: async (session, { message }) =>
      message && attempt('The branch could not be created', session.branches.after(message)),
    name: async (session, { id }, name) =>
      void (await attempt('The branch could not be renamed', session.branches.rename(id, name === '' ? null : name))),
    async merge(session, { id }, name) {
      const merged = await attempt('The branch could not be merged', session.branches.merge(id))
      if (merged === undefined) return
      toasts.show({
        text:
          merged.added === 0
            ? `The current branch already contains everything from “${name}”.`
            : `Copied ${counted(merged.added, 'entry', 'entries')} from “${name}” to the end of the current branch.`,
      })
    },
    async remove({ key }, branch, name, { message, parent }) {
      const isGone = await attempt(
        'The branch could not be deleted',
        client.store.deleteBranch(key, branch.id).then(() => true),
      )
      if (isGone !== true) return
      // What was deleted is only hidden: a branch that leaves where it ended shows all of it again.
      const end = message ?? parent?.message
      const after = end === undefined ? ('start' as const) : { branch: end.branch, order: end.order }
      const undo = (): void =>
        void attempt(
          'The branch could not be restored',
          client.store.openBranch(key, {
            after,
            head: branch.isHead,
            ...(branch.name === undefined ? {} : { name: branch.name }),
          }),
        )
      toasts.show({
        text: `“${name}” was deleted`,
        action: { label: 'Undo', testId: 'undo', run: undo },
        shownMs: 10_000,
      })
    },
  }
}
