import type { SessionAwareAgent } from './agent-types.ts'
import { hasMethods } from './has-methods.ts'

/** Whether an agent reads its session itself. Source: Aixgo */
export const isSessionAware = (agent: unknown): agent is SessionAwareAgent => hasMethods(agent, 'executeWithSession')
