import type { MemoryAwareAgent } from './agent-types.ts'
import { hasMethods } from './has-methods.ts'

/** Whether an agent uses a memory. Source: Aixgo */
export const isMemoryAware = (agent: unknown): agent is MemoryAwareAgent => hasMethods(agent, 'setMemory')
