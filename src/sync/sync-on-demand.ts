import type { Sync, SyncOptions } from './sync-contract.ts'

/** Starts sync. The code for this, including Yjs, is loaded only now: most pages leave it to a worker. */
export async function createSync(options: SyncOptions): Promise<Sync> {
  const engine = await import('./create-sync.ts')
  return engine.createSync(options)
}
