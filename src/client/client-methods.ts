import { askToPersist } from './ask-to-persist.ts'
import type { OpenedClient } from './opened-client.ts'
import { readHealth } from './read-health.ts'
import { retainOnce } from './retention/retain-once.ts'
import type { RetentionPolicy, RetentionReport } from './retention/types.ts'
import type { PersistAnswer, StoreHealth } from './types.ts'

/** Methods of a client that a page loads when it asks for them. */
export const clientMethods = {
  health: (opened: OpenedClient): Promise<StoreHealth> => readHealth(opened, opened.name),
  persist: (_: OpenedClient, options?: { readonly timeoutMs?: number }): Promise<PersistAnswer> => askToPersist(options),
  retain: (opened: OpenedClient, policy: RetentionPolicy, options?: { readonly dryRun?: boolean }): Promise<RetentionReport> => retainOnce(opened, policy, options),
}
