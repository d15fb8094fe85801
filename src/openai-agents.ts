export type { AgentsSession, HistoryMutation, HistoryTransaction } from './adapters/openai-agents/agents-types.ts'
export { createAgentsSession } from './adapters/openai-agents/create-agents-session.ts'
