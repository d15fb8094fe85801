import type { SyncServer, SyncServerOptions } from './src/options.js'

export * from './src/options.js'

/**
 * Starts a sync server in this process.
 *
 * @returns once it listens; rejects when it can't, or with a `TypeError` for an option that makes no sense
 */
export function startSyncServer(options?: SyncServerOptions): Promise<SyncServer>
