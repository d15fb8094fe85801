import { SessionError } from '../../contract/errors.ts'
import type { InboundMessage, PicoclawMessage } from '../../contract/message-identity.ts'
import { createSessionRouter } from '../../domain/identity/create-session-router.ts'
import { textAt } from '../../domain/identity/identity-input.ts'
import { normaliseAgentId } from '../../domain/identity/normalise-id.ts'
import { mainSessionKey } from '../../domain/identity/session-key.ts'
import type { OpenOptions } from '../open-options.ts'
import type { Session, SessionInit } from '../session-contract.ts'
import { createLazyStore } from '../worker/lazy-store.ts'
import type { PageLock } from '../worker/page-lock.ts'
import { type ChangeFeed, createChangeFeed } from './change-feed.ts'
import { checkBySchema } from './check-by-schema.ts'
import { createKeyDrawer } from './draw-key.ts'
import { isMessage } from './is-message.ts'
import { type HandleContext, type HandleParts, openByKey, openCopy, openOwned } from './open-handle.ts'
import { createSession } from './session.ts'
import type { SessionParts } from './session-parts.ts'
import type { SessionSurroundings } from './session-surroundings.ts'

type SessionTarget = string | SessionInit | InboundMessage | PicoclawMessage

/** Opens handles on sessions. */
export interface SessionOpener {
  open(target?: SessionTarget, options?: Pick<OpenOptions, 'routing'>): Promise<Session>
  openMain(agentId?: string): Promise<Session>
}

/**
 * Releases a page's lock when the page is left for good. A browser does so only after the page is gone, and the page
 * that replaces it may have asked before that whether the interrupted replies are still being streamed.
 */
function releaseOnLeave(page: PageLock, { ending }: ChangeFeed): void {
  if ((globalThis.document as unknown) === undefined) return
  addEventListener('pagehide', ({ persisted }) => persisted || page.release(), { signal: ending })
}

export function createSessionOpener(surroundings: SessionSurroundings): SessionOpener {
  const { store, feed, page, openStreams, isClientClosed, schema, runTask, createEphemeralStore } = surroundings
  const { route = createSessionRouter() } = surroundings
  releaseOnLeave(page, feed)
  const check: SessionParts['check'] = schema && ((message) => checkBySchema(schema, message))

  const createHandle = (parts: HandleParts): Session =>
    createSession({
      ...parts,
      openStreams,
      isClientClosed,
      check,
      ...(parts.store === store && { runTask }),
      openBranched: (leaf, options) => openCopy(context, parts, leaf, options),
      openEphemeral: () => {
        const { key, agentName, userId } = parts
        // Only the handle of such a session receives its changes, under the key it knows: the store has just this one.
        const own = createChangeFeed()
        const inMemory = createLazyStore(() =>
          createEphemeralStore((change) => own.emit('key' in change ? { ...change, key } : change)),
        )
        return createHandle({
          store: inMemory,
          feed: own,
          key,
          agentName,
          userId,
          isKnown: false,
          onClose: inMemory.close,
        })
      },
    })
  const context: HandleContext = { ...surroundings, drawKey: createKeyDrawer(store), createHandle }

  return {
    open: async (target = {}, { routing } = {}) => {
      if (typeof target === 'string') return openByKey(context, { key: target })
      if (typeof target !== 'object' || target === null)
        throw new SessionError(
          'InvalidInput',
          `A session can't be opened by a ${typeof target}. Pass its key as a string, or the origin of its messages.`,
        )
      if (!isMessage(target)) return openByKey(context, target)
      if ('key' in target)
        throw new SessionError(
          'InvalidInput',
          'A session is opened either by its key or by where a message comes from, not by both. ' +
            'The key that came with a message is its sessionKey.',
        )
      const found = (routing === undefined ? route : createSessionRouter(routing))(target)
      return openOwned(context, found.key, found.agentId, found)
    },
    openMain: async (agentId) => {
      const agent = normaliseAgentId(textAt(agentId, 'agentId'))
      return openOwned(context, mainSessionKey(agent), agent)
    },
  }
}
