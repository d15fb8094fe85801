import type { ChangeSink } from '../../contract/change.ts'
import type { Entry } from '../../contract/entry.ts'
import { SessionError } from '../../contract/errors.ts'
import type { InboundMessage, MessageIdentity, PicoclawMessage } from '../../contract/message-identity.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { createSessionRouter } from '../../domain/identity/create-session-router.ts'
import { textAt } from '../../domain/identity/identity-input.ts'
import { normaliseAgentId } from '../../domain/identity/normalise-id.ts'
import { mainSessionKey } from '../../domain/identity/session-key.ts'
import type { MessageStream } from '../message-stream-types.ts'
import type { OpenOptions } from '../open-options.ts'
import type { Session, SessionInit } from '../session-contract.ts'
import { createLazyStore } from '../worker/lazy-store.ts'
import type { PageLock } from '../worker/page-lock.ts'
import { type ChangeFeed, createChangeFeed } from './change-feed.ts'
import { checkBySchema, type MessageSchema } from './check-by-schema.ts'
import { describeSession } from './describe-session.ts'
import { createKeyDrawer } from './draw-key.ts'
import { isMessage } from './is-message.ts'
import { createSession, type SessionParts } from './session.ts'

/** What the handles of a client stand on. */
export interface SessionSurroundings {
  readonly store: SessionStore
  /** Name of the database. */
  readonly name: string
  /** Whose sessions they are, where users are kept apart. */
  readonly userId?: string | undefined
  readonly feed: ChangeFeed
  /** What others see by that the replies streamed here are not abandoned. */
  readonly page: PageLock
  /** Where streams of all handles are kept while they are open. */
  readonly openStreams: Set<MessageStream>
  /** What messages must match before they are written. */
  readonly schema?: MessageSchema<object> | undefined
  /** Finds the session of a message. Absent: as without any configuration. */
  readonly route: ReturnType<typeof createSessionRouter> | undefined
  /** Makes a store for one sub-turn. */
  createEphemeralStore(onChange: ChangeSink): Promise<SessionStore>
}

export type SessionTarget = string | SessionInit | InboundMessage | PicoclawMessage

/** Opens handles on sessions. */
export interface SessionOpener {
  open(target?: SessionTarget, options?: Pick<OpenOptions, 'routing'>): Promise<Session>
  openMain(agentId?: string): Promise<Session>
}

/**
 * Gives a page's lock up as the page is left for good: a browser does so only when it is gone, and the page that takes
 * its place may have asked by then whether the replies that were cut off are still streamed.
 */
function releaseOnLeave(page: PageLock, { ending }: ChangeFeed): void {
  if ((globalThis.document as unknown) === undefined) return
  addEventListener('pagehide', ({ persisted }) => persisted || page.release(), { signal: ending })
}

/** Makes what opens handles on sessions. */
export function createSessionOpener({
  store,
  name,
  userId: owner,
  feed,
  page,
  openStreams,
  route = createSessionRouter(),
  schema,
  createEphemeralStore,
}: SessionSurroundings): SessionOpener {
  releaseOnLeave(page, feed)
  const drawKey = createKeyDrawer(store)

  const handle = (parts: Omit<SessionParts, 'openStreams' | 'openEphemeral' | 'openBranched' | 'check'>): Session =>
    createSession({
      ...parts,
      openStreams,
      check: schema === undefined ? undefined : (message) => checkBySchema(schema, message),
      openBranched,
      openEphemeral: () => {
        const { key, agentName, userId } = parts
        // What happens in it is heard by its own handle only, under the key it knows: such a store has but one session.
        const own = createChangeFeed()
        const inMemory = createLazyStore(() =>
          createEphemeralStore((change) => own.emit(change.type === 'notice' ? change : { ...change, key })),
        )
        return handle({ store: inMemory, feed: own, key, agentName, userId, isKnown: false, onClose: inMemory.close })
      },
    })

  async function openByKey({ key: asked, ...parts }: SessionInit): Promise<Session> {
    const key = asked === undefined ? await drawKey() : await store.resolveSessionKey(asked)
    let meta = asked === undefined ? undefined : await store.getMeta(key)
    const news = Object.entries(parts).filter(
      ([field, value]) =>
        value !== undefined && JSON.stringify(meta?.[field as keyof typeof meta]) !== JSON.stringify(value),
    )
    if (news.length > 0)
      meta = await store.updateMeta(key, {
        ...(meta?.userId === undefined && owner !== undefined ? { userId: owner } : {}),
        ...Object.fromEntries(news),
      })
    return handle({
      store,
      name,
      feed,
      key,
      agentName: meta?.agentId ?? '',
      userId: meta?.userId ?? owner ?? '',
      isKnown: meta !== undefined && meta.deletedAt === undefined,
      // With its first entry, as nothing is written before.
      ...(meta?.userId === undefined && owner !== undefined
        ? { onRestart: () => store.updateMeta(key, { userId: owner }, { durability: 'relaxed' }) }
        : {}),
    })
  }

  async function openBranched(parent: string, entries: readonly Entry[], asked?: string): Promise<Session> {
    const key = asked === undefined ? await drawKey() : await store.resolveSessionKey(asked)
    const meta = await store.getMeta(key)
    if (meta !== undefined && (meta.deletedAt !== undefined || meta.custom['parentSession'] !== parent)) {
      throw new SessionError(
        'InvalidInput',
        `"${key}" is the key of another session${meta.deletedAt === undefined ? '' : ', which was deleted'}. Pass a key that is free, or none.`,
      )
    }
    const { refused } = await store.merge(key, entries, { durability: 'strict' })
    if (refused[0] !== undefined)
      throw new SessionError('DataLoss', `Entry ${refused[0].id} was refused: ${refused[0].reason}`)
    return openByKey({ key })
  }

  /**
   * Opens the session of an agent, and writes what it is known by; into a deleted one only once it is written to again.
   */
  async function openOwned(asked: string, agentId: string, found?: MessageIdentity): Promise<Session> {
    const [key, meta] = await Promise.all([store.resolveSessionKey(asked), store.getMeta(asked)])
    const isKnown = meta?.deletedAt === undefined
    const described = isKnown
      ? await describeSession(store, key, { agentId, userId: owner }, meta, found)
      : { conflicts: [] }
    return handle({
      store,
      name,
      feed,
      key,
      agentName: meta?.agentId ?? agentId,
      userId: meta?.userId ?? owner ?? '',
      isKnown,
      ...(found === undefined ? {} : { identity: Object.freeze({ ...found, ...described }) }),
      ...(isKnown
        ? {}
        : { onRestart: () => describeSession(store, key, { agentId, userId: owner }, undefined, found) }),
    })
  }

  return {
    open: async (target = {}, { routing } = {}) => {
      if (typeof target === 'string') return openByKey({ key: target })
      if (typeof target !== 'object' || target === null)
        throw new SessionError(
          'InvalidInput',
          `A session can't be opened by a ${typeof target}. Pass its key as a text, or where its messages come from.`,
        )
      if (!isMessage(target)) return openByKey(target)
      if ('key' in target)
        throw new SessionError(
          'InvalidInput',
          'A session is opened either by its key or by where a message comes from, not by both. A key that a message came with is its sessionKey.',
        )
      const found = (routing === undefined ? route : createSessionRouter(routing))(target)
      return openOwned(found.key, found.agentId, found)
    },
    openMain: async (agentId) => {
      const agent = normaliseAgentId(textAt(agentId, 'agentId'))
      return openOwned(mainSessionKey(agent), agent)
    },
  }
}
