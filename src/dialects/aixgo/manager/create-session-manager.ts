import type { SessionClient } from '../../../client/client-contract.ts'
import { createChangeFeed } from '../../../client/session/change-feed.ts'
import { SessionError } from '../../../contract/errors.ts'
import type { SessionMeta } from '../../../contract/meta.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import { checkId } from '../../../domain/identity/check-id.ts'
import { createHandleOpener } from './create-handle-opener.ts'
import { findOrCreate } from './find-or-create.ts'
import { findUndeleted } from './find-undeleted.ts'
import { listAgentSessions } from './list-agent-sessions.ts'
import { createManagedSessions } from './managed-sessions.ts'
import type { ManagedSession, ManagerConfig, SessionManager } from './manager-types.ts'
import { readManagerConfig } from './read-manager-config.ts'
import { createExpiry } from './session-expiry.ts'
import { storeNewSession } from './store-new-session.ts'
import { createWriteFeed } from './write-feed.ts'

/**
 * Creates a manager, which creates and finds the sessions of agents in the store of a client or in any other store.
 *
 * @param given - a client or store, which is closed with the manager
 * @param config - settings that differ from `defaultConfig()`
 * @throws StorageUnavailable when the configuration switches sessions off; InvalidInput for a bad interval
 *
 * @example
 * const manager = createSessionManager(await openSessionStore())
 * const session = await manager.getOrCreate('helper', 'ann')
 * await session.append({ role: 'user', content: 'Hello' })
 *
 * Source: Aixgo, `session.Manager`
 */
export function createSessionManager(
  given: SessionStore | SessionClient,
  config: Partial<ManagerConfig> = {},
): SessionManager {
  let closing: Promise<void> | undefined
  const client = 'session' in given ? given : undefined
  const store = 'session' in given ? given.store : given
  const { name, checkpoint, ttl, sweepMs } = readManagerConfig(config, client?.name)
  const writes = checkpoint.autoSave ? createWriteFeed(given) : undefined
  const feed = createChangeFeed()
  const openHandle = createHandleOpener(client ?? writes?.store ?? store, name, feed)
  const sessions = createManagedSessions(
    name,
    async (key) => openHandle(await find(key)),
    refuseClosed,
    checkpoint,
    writes,
  )
  const expiry = createExpiry(given, name, ttl, sweepMs, feed.ending)

  function refuseClosed(): void {
    if (closing !== undefined) throw managerClosed()
  }
  const find = async (id: string): Promise<SessionMeta> => {
    refuseClosed()
    return findUndeleted(store, id)
  }
  async function getUnexpired(id: string): Promise<ManagedSession> {
    const meta = await find(id)
    if (await expiry.eraseIfExpired(meta))
      throw new SessionError('SessionNotFound', `There is no session "${id}" any more: it has expired.`)
    return sessions.open(meta.key)
  }
  const create: SessionManager['create'] = async (agentName, options = {}) => {
    refuseClosed()
    return sessions.open(await storeNewSession(store, agentName, options))
  }
  async function closeAll(): Promise<void> {
    await sessions.closeAll()
    feed.close()
    await store.close()
  }

  const close = (): Promise<void> => (closing ??= closeAll())
  return {
    create,
    get: async (id) => getUnexpired(checkId(id, 'session')),
    getOrCreate: async (agentName, userId) => {
      refuseClosed()
      checkId(agentName, 'agent')
      if (userId === '') return create(agentName)
      return findOrCreate(store, name, agentName, userId, getUnexpired, () => create(agentName, { userId }))
    },
    list: async (agentName, options = {}) => {
      refuseClosed()
      return listAgentSessions(store, checkId(agentName, 'agent'), options)
    },
    delete: async (id) => {
      const { key } = await find(checkId(id, 'session'))
      await sessions.close(key)
      await store.delete(key)
    },
    undelete: async (id) => {
      refuseClosed()
      await store.undelete(checkId(id, 'session'))
    },
    purge: async (id) => {
      refuseClosed()
      await sessions.close(await store.resolveSessionKey(checkId(id, 'session')))
      await store.purge(id)
    },
    sweep: async () => {
      refuseClosed()
      return expiry.sweep()
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

const managerClosed = (): SessionError =>
  new SessionError('StorageClosed', 'The session manager was closed. Create another one with an open store.')
