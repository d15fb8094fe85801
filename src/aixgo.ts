export type {
  Agent,
  AgentResult,
  CheckpointableAgent,
  Memory,
  MemoryAwareAgent,
  MemoryEntry,
  MemoryRanking,
  MemoryReader,
  SessionAwareAgent,
} from './dialects/aixgo/agents/agent-types.ts'
export { checkpointAgent } from './dialects/aixgo/agents/checkpoint-agent.ts'
export { contextWithSession } from './dialects/aixgo/agents/context-with-session.ts'
export type { MemoryOptions } from './dialects/aixgo/agents/create-memory.ts'
export { createMemory } from './dialects/aixgo/agents/create-memory.ts'
export { isCheckpointable } from './dialects/aixgo/agents/is-checkpointable.ts'
export { isMemoryAware } from './dialects/aixgo/agents/is-memory-aware.ts'
export { isSessionAware } from './dialects/aixgo/agents/is-session-aware.ts'
export { mustSessionFromContext } from './dialects/aixgo/agents/must-session-from-context.ts'
export { restoreAgent } from './dialects/aixgo/agents/restore-agent.ts'
export type { RunOptions } from './dialects/aixgo/agents/run-with-session.ts'
export { runWithSession } from './dialects/aixgo/agents/run-with-session.ts'
export { sessionFromContext } from './dialects/aixgo/agents/session-from-context.ts'
export { createSessionManager } from './dialects/aixgo/manager/create-session-manager.ts'
export { defaultConfig } from './dialects/aixgo/manager/default-config.ts'
export type {
  AutoSaveSettings,
  CreateSessionOptions,
  ListSessionsOptions,
  ManagedSession,
  ManagerConfig,
  SessionManager,
} from './dialects/aixgo/manager/manager-types.ts'
