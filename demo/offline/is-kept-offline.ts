import { isBuilt, serviceWorkers } from './register-worker.ts'

/**
 * Whether this app starts without a network: one that is built is served by its Service Worker, which has all of it.
 */
export const isKeptOffline = (): boolean => isBuilt && (serviceWorkers()?.controller ?? null) !== null
