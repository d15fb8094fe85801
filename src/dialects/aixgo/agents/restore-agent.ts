import type { BranchInfo } from '../../../contract/meta.ts'
import type { ManagedSession } from '../manager/manager-types.ts'
import { isCheckpointable } from './is-checkpointable.ts'

/**
 * Shows a session as a checkpoint saw it, then gives the agent the state it had; one whose checkpoint has none is left
 * as it is.
 *
 * @throws CheckpointNotFound, ChecksumMismatch, before the agent is touched; what the agent throws
 */
export async function restoreAgent(agent: unknown, session: ManagedSession, checkpoint: string): Promise<BranchInfo> {
  const { branch, state } = await session.checkpoints.restore(checkpoint)
  if (state !== undefined && isCheckpointable(agent)) await agent.restoreFromCheckpoint(state)
  return branch
}
