import type { CheckpointableAgent } from './agent-types.ts'
import { hasMethods } from './has-methods.ts'

/** Whether an agent has a state that is saved in checkpoints. Source: Aixgo */
export const isCheckpointable = (agent: unknown): agent is CheckpointableAgent =>
  hasMethods(agent, 'createCheckpoint', 'restoreFromCheckpoint')
