import type { BranchInfo } from '../../../contract/meta.ts'
import type { ManagedSession } from '../manager/manager-types.ts'
import { isCheckpointable } from './is-checkpointable.ts'

/**
 * Restores a session to a checkpoint, and then the agent's own state. If the checkpoint has none, the agent is not
 * changed.
 *
 * @throws CheckpointNotFound, ChecksumMismatch, before the agent is changed; the agent's own errors
 */
export async function restoreAgent(agent: unknown, session: ManagedSession, checkpoint: string): Promise<BranchInfo> {
  const { branch, state } = await session.checkpoints.restore(checkpoint)
  if (state !== undefined && isCheckpointable(agent)) await agent.restoreFromCheckpoint(state)
  return branch
}
