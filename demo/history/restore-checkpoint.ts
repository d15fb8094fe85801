import type { CheckpointInfo, Session, SessionClient } from '../../src/index.ts'
import type { Toasts } from '../ui/toasts.ts'
import { checkpointName } from './checkpoint-row.ts'

/**
 * Shows a conversation as a checkpoint saw it. Nobody is asked first, because it is a switch to a new branch, and
 * easily undone.
 */
export async function restoreCheckpoint(
  client: SessionClient,
  toasts: Toasts,
  session: Session,
  checkpoint: CheckpointInfo,
): Promise<void> {
  const { key } = session
  try {
    const before = (await session.meta())?.head ?? ''
    const { branch } = await session.checkpoints.restore(checkpoint.id)
    toasts.show({
      text: `Restored “${checkpointName(checkpoint)}” on a new branch. Later messages are on the previous branch.`,
      action: {
        label: 'Undo',
        testId: 'undo',
        run: () =>
          void undo(client, key, before, branch.id).catch((error: unknown) =>
            toasts.fail('The restore could not be undone', error),
          ),
      },
      shownMs: 12_000,
    })
  } catch (error) {
    toasts.fail('The checkpoint could not be restored', error)
  }
}

/** Goes back to the line that was left. The new branch goes too, unless something was said on it. */
async function undo(client: SessionClient, key: string, before: string, branch: string): Promise<void> {
  await client.store.switchBranch(key, before)
  const { entries } = await client.store.read(key, { branch, last: 1, view: 'raw' })
  if (entries.at(-1)?.branch !== branch) await client.store.deleteBranch(key, branch)
}
