import type { SessionClient } from '../../../client/client-contract.ts'
import type { MessageStream } from '../../../client/message-stream-types.ts'
import { createChangeFeed } from '../../../client/session/change-feed.ts'
import { holdInUse } from '../../../client/session/in-use.ts'
import { createSession } from '../../../client/session/session.ts'
import type { Session } from '../../../client/session-contract.ts'
import { inGroups } from '../../../client/worker/in-groups.ts'
import { isSessionError, SessionError } from '../../../contract/errors.ts'
import type { SessionListing, SessionMeta } from '../../../contract/meta.ts'
import type { ListQuery } from '../../../contract/store/session-metadata.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import { checkId } from '../../../domain/identity/check-id.ts'
import { autoSave, checkAutoSave } from './auto-save.ts'
import { defaultConfig } from './default-config.ts'
import { drawUuid } from './draw-uuid.ts'
import { eraseExpired } from './erase-expired.ts'
import { isExpired } from './is-expired.ts'
import { keepSwept } from './keep-swept.ts'
import { listAgentSessions } from './list-agent-sessions.ts'
import type { ManagedSession, ManagerConfig, SessionManager } from './manager-types.ts'
import { readInterval } from './read-interval.ts'
import { runExclusively } from './run-exclusively.ts'
import { createWriteFeed } from './write-feed.ts'

/** Sessions that a sweep looks at, or erases, at once: most only have to be asked for their time. */
const sweptAtOnce = 32

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
export function createSessionManager(
  given: SessionStore | SessionClient,
  config: Partial<ManagerConfig> = {},
): SessionManager {
  const { enabled, checkpoint, ttl: storeTtl, sweepInterval = '0s', ...asked } = { ...defaultConfig(), ...config }
  const client = 'session' in given ? given : undefined
  const store = 'session' in given ? given.store : given
  const name = client?.name ?? asked.name
  if (!enabled)
    throw new SessionError(
      'StorageUnavailable',
      'Sessions are switched off (enabled: false). Run the agent without one, or set enabled to true.',
    )
  checkAutoSave(checkpoint)
  const sweepMs = readInterval(sweepInterval)
  if (!Number.isSafeInteger(storeTtl) || storeTtl < 0)
    throw new SessionError('InvalidInput', `ttl is a whole number of milliseconds from 0 up, got ${String(storeTtl)}.`)
  if (config.name !== undefined && config.name !== name)
    throw new SessionError(
      'InvalidInput',
      `The configuration is for the database ${JSON.stringify(config.name)}, the store was opened on ${JSON.stringify(name)}. Open it with the name of the configuration.`,
    )
  const sessions = new Map<string, ManagedSession>()
  const writes = checkpoint.autoSave ? createWriteFeed(given) : undefined
  const openStreams = new Set<MessageStream>()
  const feed = createChangeFeed()
  let closing: Promise<void> | undefined

  const refuseClosed = (): void => {
    if (closing !== undefined)
      throw new SessionError(
        'StorageClosed',
        'The session manager was closed. Make another one, on a store that is open.',
      )
  }

  async function openHandle({ key, agentId = '', userId = '' }: SessionMeta): Promise<Session> {
    if (client !== undefined) return client.session(key)
    const needsClient = (): never => {
      throw new SessionError(
        'InvalidInput',
        'Sub-tasks and copies of branches need a client: open the store with openSessionStore().',
      )
    }
    return createSession({
      store: writes?.store ?? store,
      name,
      feed,
      key,
      agentName: agentId,
      userId,
      isKnown: true,
      openStreams,
      openEphemeral: needsClient,
      openBranched: needsClient,
    })
  }

  /** One object for each session, also for those who ask at the same time. */
  async function open(key: string): Promise<ManagedSession> {
    const opened = sessions.get(key)
    if (opened !== undefined) return opened
    const use = holdInUse(name, key)
    await use.ready
    const handle = await find(key)
      .then(openHandle)
      .catch((error: unknown) => {
        use.end()
        throw error
      })
    const known = sessions.get(key)
    if (known !== undefined || closing !== undefined) {
      use.end()
      refuseClosed()
      return known!
    }
    const saved = writes && autoSave(handle, checkpoint)
    const unfollow = saved && writes.follow(key, saved.hear)
    const close = async (): Promise<void> => {
      if (sessions.get(key) === session) sessions.delete(key)
      try {
        await handle.close()
        await saved?.save()
      } finally {
        unfollow?.()
        use.end()
      }
    }
    const session: ManagedSession = {
      ...handle,
      checkpoints: {
        ...handle.checkpoints,
        restore: async (id, options) => handle.checkpoints.restore(checkId(id, 'checkpoint'), options),
        delete: async (id) => handle.checkpoints.delete(checkId(id, 'checkpoint')),
      },
      close,
      [Symbol.asyncDispose]: close,
    }
    sessions.set(key, session)
    return session
  }

  async function find(id: string): Promise<SessionMeta> {
    refuseClosed()
    const meta = await store.getMeta(id)
    if (meta === undefined || meta.deletedAt !== undefined)
      throw new SessionError(
        'SessionNotFound',
        `There is no session "${id}"${meta === undefined ? '' : ' any more: it was deleted, and undelete() brings it back'}.`,
      )
    return meta
  }

  async function* eachPage(query: ListQuery): AsyncGenerator<readonly SessionListing[]> {
    for (
      let page = await store.listSessions(query);
      ;
      page = await store.listSessions({ ...query, fresh: false, cursor: page.next })
    ) {
      yield page.sessions
      if (page.next === undefined) return
    }
  }

  const erase = (key: string, term?: number): Promise<boolean> =>
    eraseExpired(store, key, { name, ttl: storeTtl, term })

  async function sweep(term?: number, signal = feed.ending): Promise<readonly string[]> {
    const gone: string[] = []
    for (const deleted of [false, true]) {
      for await (const page of eachPage({ deleted, limit: 1000 })) {
        await inGroups(page, sweptAtOnce, async ({ key }) => void ((await erase(key, term)) && gone.push(key)), signal)
        if (signal.aborted) return gone
      }
    }
    return gone
  }
  if (sweepMs > 0) keepSwept(given, sweep, sweepMs, feed.ending)

  async function getLiving(id: string): Promise<ManagedSession> {
    const meta = await find(id)
    if (isExpired(meta, storeTtl, Date.now()) && (await erase(meta.key)))
      throw new SessionError('SessionNotFound', `There is no session "${id}" any more: its time was over.`)
    return open(meta.key)
  }

  const get: SessionManager['get'] = async (id) => getLiving(checkId(id, 'session'))

  const create: SessionManager['create'] = async (agentName, { userId = '', metadata, ttl } = {}) => {
    refuseClosed()
    const id = drawUuid()
    await store.updateMeta(id, {
      agentId: checkId(agentName, 'agent'),
      ...(userId === '' ? {} : { userId }),
      ...(metadata === undefined ? {} : { custom: metadata }),
      ...(ttl === undefined ? {} : { ttl }),
    })
    return open(id)
  }

  async function findLatest(agentId: string, userId: string, fresh: boolean): Promise<ManagedSession | undefined> {
    for await (const [session] of eachPage({ agentId, userId, archived: false, limit: 1, fresh })) {
      const found = session && (await getLiving(session.key).catch(unlessMissing))
      if (found !== undefined) return found
    }
    return undefined
  }

  /** Closes the object of a session that is going. */
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
        // Whoever had the lock before may have made one that this tab has not heard of yet.
        return (
          (await findLatest(agentName, userId, false)) ??
          (await findLatest(agentName, userId, true)) ??
          create(agentName, { userId })
        )
      })
    },
    list: async (agentName, options = {}) => {
      refuseClosed()
      return listAgentSessions(store, checkId(agentName, 'agent'), options)
    },
    delete: async (id) => {
      const { key } = await find(checkId(id, 'session'))
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
    sweep: async () => {
      refuseClosed()
      return sweep()
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Its time was over, or another tab deleted it meanwhile. */
function unlessMissing(error: unknown): undefined {
  if (!isSessionError(error, 'SessionNotFound')) throw error
}
