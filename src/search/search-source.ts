import type { CoreBackend } from '../contract/backend.ts'

/**
 * The source of an index. It is the backend, not the store above it: the backend names the versions of all sessions in
 * one read, and returns each row once, where a store would return a shared row once for each line.
 */
export type SearchSource = Pick<CoreBackend, 'listSessions' | 'loadSession' | 'readRange' | 'readPlaces' | 'findByMid'>
