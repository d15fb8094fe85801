import { hasMethods } from './has-methods.ts'
import type { MemoryAwareAgent } from './agent-types.ts'

/** Whether an agent wants to know what is remembered. Source: Aixgo */
export const isMemoryAware = (agent: unknown): agent is MemoryAwareAgent => hasMethods(agent, 'setMemory')
