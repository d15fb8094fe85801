export type { PersistenceOptions } from './adapters/tanstack-ai/create-persistence.ts'
export { createPersistence } from './adapters/tanstack-ai/create-persistence.ts'
export type { ThreadPersistence, ThreadState } from './adapters/tanstack-ai/thread-types.ts'
