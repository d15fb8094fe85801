import type { SyncServer, SyncServerOptions } from './src/options.d.ts'

export type * from './src/options.d.ts'

/**
 * Starts a sync server in this process.
 *
 * @returns once it listens; rejects when it can't, or with a `TypeError` for an option that makes no sense
 */
export function startSyncServer(options?: SyncServerOptions): Promise<SyncServer>
