import type { MemoryAwareAgent } from './agent-types.ts'
import { hasMethods } from './has-methods.ts'

/** Whether an agent wants to know what is remembered. Source: Aixgo */
export const isMemoryAware = (agent: unknown): agent is MemoryAwareAgent => hasMethods(agent, 'setMemory')
