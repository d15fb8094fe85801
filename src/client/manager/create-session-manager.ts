import { SessionError } from '../../contract/errors.ts'
import type { SessionMeta } from '../../contract/meta.ts'
import type { SessionStore } from '../../contract/store.ts'
import { checkId } from '../../domain/identity/check-id.ts'
import { createChangeFeed } from '../change-feed.ts'
import { createSession } from '../session.ts'
import type { MessageStream, Session, SessionClient } from '../types.ts'
import { autoSave, checkAutoSave } from './auto-save.ts'
import { defaultConfig } from './default-config.ts'
import { drawUuid } from './draw-uuid.ts'
import { listAgentSessions } from './list-agent-sessions.ts'
import { runExclusively } from './run-exclusively.ts'
import type { ManagedSession, ManagerConfig, SessionManager } from './types.ts'

/**
 * Makes what makes and finds the sessions of agents, over a client or any other store.
 *
 * @param store - closed with the manager
 * @param config - what differs from `defaultConfig()`
 * @throws StorageUnavailable when the configuration has sessions switched off; InvalidInput for a bad interval
 *
 * @example
 * const manager = createSessionManager(await openSessionStore())
 * const session = await manager.getOrCreate('helper', 'ann')
 * await session.append({ role: 'user', content: 'Hello' })
 *
 * Source: Aixgo, `session.Manager`
 */
export function createSessionManager(store: SessionStore | SessionClient, config: Partial<ManagerConfig> = {}): SessionManager {
  const { enabled, name, checkpoint } = { ...defaultConfig(), ...config }
  if (!enabled) throw new SessionError('StorageUnavailable', 'Sessions are switched off (enabled: false). Run the agent without one, or set enabled to true.')
  checkAutoSave(checkpoint)
  const sessions = new Map<string, ManagedSession>()
  const openStreams = new Set<MessageStream>()
  const feed = createChangeFeed()
  let closing: Promise<void> | undefined

  const refuseClosed = (): void => {
    if (closing !== undefined) throw new SessionError('StorageClosed', 'The session manager was closed. Make another one, on a store that is open.')
  }

  async function openHandle(key: string, { agentId = '', userId = '' }: Pick<SessionMeta, 'agentId' | 'userId'>): Promise<Session> {
    if ('session' in store) return store.session(key)
    const openEphemeral = (): never => {
      throw new SessionError('InvalidInput', 'Sub-turns need a client: open the store with openSessionStore().')
    }
    return createSession({ store, name, feed, key, agentName: agentId, userId, isKnown: true, openStreams, openEphemeral })
  }

  /** One object for each session, also for those who ask at the same time. */
  async function open(asked: string, meta: Pick<SessionMeta, 'agentId' | 'userId'>): Promise<ManagedSession> {
    const key = await store.resolveSessionKey(asked)
    const handle = sessions.has(key) ? undefined : await openHandle(key, meta)
    refuseClosed()
    const known = sessions.get(key)
    if (known !== undefined || handle === undefined) return known ?? open(asked, meta)
    const saved = checkpoint.autoSave ? autoSave(handle, checkpoint) : undefined
    const close = async (): Promise<void> => {
      if (sessions.get(key) === session) sessions.delete(key)
      await handle.close()
      await saved?.stop()
    }
    const session: ManagedSession = { ...handle, ...saved?.writes, close, [Symbol.asyncDispose]: close }
    sessions.set(key, session)
    return session
  }

  async function find(id: string): Promise<SessionMeta> {
    refuseClosed()
    const meta = await store.getMeta(checkId(id, 'session'))
    if (meta === undefined || meta.deletedAt !== undefined) throw new SessionError('SessionNotFound', `There is no session "${id}"${meta === undefined ? '' : ' any more: it was deleted, and undelete() brings it back'}.`)
    return meta
  }

  const get: SessionManager['get'] = async (id) => {
    const meta = await find(id)
    return open(meta.key, meta)
  }

  const create: SessionManager['create'] = async (agentName, { userId = '', metadata } = {}) => {
    refuseClosed()
    const id = drawUuid()
    const meta = await store.updateMeta(id, {
      agentId: checkId(agentName, 'agent'),
      ...(userId === '' ? {} : { userId }),
      ...(metadata === undefined ? {} : { custom: metadata }),
    })
    return open(id, meta)
  }

  async function forget(id: string): Promise<void> {
    await sessions.get(await store.resolveSessionKey(id))?.close()
  }

  async function closeAll(): Promise<void> {
    await Promise.allSettled([...sessions.values()].map((session) => session.close()))
    feed.close()
    await store.close()
  }

  const close = (): Promise<void> => (closing ??= closeAll())
  return {
    create,
    get,
    getOrCreate: async (agentName, userId) => {
      refuseClosed()
      checkId(agentName, 'agent')
      if (userId === '') return create(agentName)
      return runExclusively(`keepsession:${name}:user:${JSON.stringify([agentName, userId])}`, async () => {
        const { sessions: [newest] } = await store.listSessions({ agentId: agentName, userId, archived: false, limit: 1 })
        return newest === undefined ? create(agentName, { userId }) : open(newest.key, newest)
      })
    },
    list: async (agentName, options = {}) => {
      refuseClosed()
      return listAgentSessions(store, checkId(agentName, 'agent'), options)
    },
    delete: async (id) => {
      const { key } = await find(id)
      await forget(key)
      await store.delete(key)
    },
    undelete: async (id) => {
      refuseClosed()
      await store.undelete(checkId(id, 'session'))
    },
    purge: async (id) => {
      refuseClosed()
      await forget(checkId(id, 'session'))
      await store.purge(id)
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
