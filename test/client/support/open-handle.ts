import { createChangeFeed } from '../../../src/client/session/change-feed.ts'
import { createOpenStreams } from '../../../src/client/session/open-streams.ts'
import { createSessionOpener } from '../../../src/client/session/session-opener.ts'
import type { Session } from '../../../src/client/session-contract.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { createEphemeralStore } from '../../../src/storage/ephemeral-store.ts'

/** A handle on a session of a store in this realm. */
export function openHandle(store: SessionStore, key: string, feed = createChangeFeed()): Promise<Session> {
  const createEphemeral = async (): Promise<SessionStore> => createEphemeralStore()
  return createSessionOpener({
    page: { name: 'page', release: () => undefined },
    store,
    name: 'in-realm',
    feed,
    openStreams: createOpenStreams(),
    route: undefined,
    runTask: () => Promise.reject(new Error('A handle of a test runs no job.')),
    createEphemeralStore: createEphemeral,
  }).open(key)
}
