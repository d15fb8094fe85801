import type { CoreBackend } from '../contract/backend.ts'

/**
 * Where an index gets the messages from. The backend and not the store above it, because it tells the version of every session in one
 * read, and gives the rows of all lines once, where a store would give what lines share once for each of them.
 */
export type SearchSource = Pick<CoreBackend, 'listSessions' | 'loadSession' | 'readRange' | 'readPlaces' | 'findByMid'>
