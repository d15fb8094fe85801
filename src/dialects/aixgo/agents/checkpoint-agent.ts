import type { CheckpointInfo } from '../../../contract/meta.ts'
import type { CheckpointOptions } from '../../../contract/store/session-checkpoints.ts'
import type { ManagedSession } from '../manager/manager-types.ts'
import { isCheckpointable } from './is-checkpointable.ts'

/** Saves a session's position together with the agent's own state, if it has one. @throws what the agent throws */
export async function checkpointAgent(
  agent: unknown,
  session: ManagedSession,
  options: Omit<CheckpointOptions, 'state'> = {},
): Promise<CheckpointInfo> {
  return session.checkpoints.create(
    isCheckpointable(agent) ? { ...options, state: await agent.createCheckpoint() } : options,
  )
}
