import type {
  InboundMessage,
  MessageIdentity,
  PicoclawMessage,
  RoutingConfig,
} from '../../contract/message-identity.ts'
import { allocateSession } from './allocate-session.ts'
import { createRouter } from './create-router.ts'
import { goTrim } from './go-text.ts'
import { refusal, textAt } from './identity-input.ts'
import { isExplicitKey, resolveScopeKey } from './key-kind.ts'
import { normaliseContext } from './normalise-context.ts'
import { normaliseAgentId } from './normalise-id.ts'
import { buildSessionAliases } from './session-aliases.ts'

/**
 * Makes a router that finds the session of each message: agent, scope, key and aliases in one step. An agent that the
 * message names replaces the rule's agent, and nothing else: the result of `createRouter` can be passed along and
 * changes nothing.
 *
 * @throws InvalidInput when the configuration has a mistake; the router throws it when a message has one, or names no
 * place at all
 * Source: PicoClaw, the path of an inbound message
 */
export function createSessionRouter(
  config?: RoutingConfig,
): (message: InboundMessage | PicoclawMessage) => MessageIdentity {
  const route = createRouter(config)

  return (message) => {
    const { agentId: routed, matchedBy, sessionPolicy } = route(message)
    const { agentId: asked, sessionKey, session_key: spelled } = message as InboundMessage & PicoclawMessage
    const ownKey = textAt(sessionKey ?? spelled, 'context.sessionKey')
    if (!isExplicitKey(ownKey)) refuseNowhere(message)

    const agentId = normaliseAgentId(goTrim(textAt(asked, 'context.agentId')) || routed)
    const {
      scope,
      sessionKey: scopeKey,
      sessionAliases,
      identityKey,
    } = allocateSession({ agentId, context: message, policy: sessionPolicy })
    const key = resolveScopeKey(resolveScopeKey(scopeKey, identityKey), ownKey)
    // The scope's own key is no alias of another session: a sender who is no longer linked, or was linked by mistake,
    // must find their own session again.
    return { agentId, matchedBy, scope, scopeKey, key, aliases: buildSessionAliases(key, ...sessionAliases, ownKey) } // bounded: what one message and its rule name
  }
}

/** A message without any place is a mistake of its caller, and all such messages would share one conversation. */
function refuseNowhere(message: InboundMessage | PicoclawMessage): void {
  const { chatType, spaceType, mentioned, ...place } = normaliseContext(message)
  if (Object.values(place).join('') === '')
    throw refusal('context', '', 'Pass where the message comes from: { channel, chatId, senderId, … }.')
}
