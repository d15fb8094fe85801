import type { Sync, SyncOptions } from './sync-contract.ts'

/** Starts to sync. What that takes, Yjs among it, is loaded now and not before: most pages leave it to a worker. */
export async function createSync(options: SyncOptions): Promise<Sync> {
  const engine = await import('./create-sync.ts')
  return engine.createSync(options)
}
