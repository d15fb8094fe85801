import { hasMethods } from './has-methods.ts'
import type { SessionAwareAgent } from './agent-types.ts'

/** Whether an agent reads its session itself. Source: Aixgo */
export const isSessionAware = (agent: unknown): agent is SessionAwareAgent => hasMethods(agent, 'executeWithSession')
