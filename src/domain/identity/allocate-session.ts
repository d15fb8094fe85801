import type { Allocation, AllocationInput, Dimension } from '../../contract/message-identity.ts'
import type { SessionScope } from '../../contract/scope.ts'
import { dimensionValues } from './dimension-values.ts'
import { goLower, goTrim } from './go-text.ts'
import { booleanAt, listAt, objectAt, textAt } from './identity-input.ts'
import { identityKey } from './identity-key.ts'
import { type NormalContext, normaliseContext } from './normalise-context.ts'
import { normaliseAccountId, normaliseAgentId, normaliseChannel } from './normalise-id.ts'
import { legacyAliases } from './session-aliases.ts'
import { mainAlias, mainSessionKey, scopeKey } from './session-key.ts'

/**
 * Finds the session of a message: its scope, its key, and all its names. Writes nothing. A dimension without a value in
 * the message is left out, and so is a name that is no dimension: names must be exactly as in {@link Dimension}.
 *
 * Topics of a Telegram chat are sessions of their own even when the policy has no `topic`, because a forum is one chat
 * there.
 *
 * @throws InvalidInput with the place, when a part has the wrong form
 * Source: PicoClaw, `AllocateRouteSession`
 */
export function allocateSession(input: AllocationInput): Allocation {
  const { context: given, ...rest } = objectAt(input, 'input') as unknown as AllocationInput
  const agentId = textAt(rest.agentId, 'agentId')
  const context = normaliseContext(given)
  const {
    dimensions = ['chat'],
    identityLinks,
    acrossChannels,
  } = objectAt(rest.policy, 'policy') as NonNullable<AllocationInput['policy']>
  const names = listAt(dimensions, 'policy.dimensions').map((name, i) => textAt(name, `policy.dimensions[${i}]`))
  const shared = booleanAt(acrossChannels, 'policy.acrossChannels') && identityKey(agentId, context, identityLinks)

  const scope: SessionScope = {
    version: 1,
    agent_id: normaliseAgentId(agentId),
    channel: normaliseChannel(context.channel),
    account: normaliseAccountId(context.account),
    ...inDimensions(
      names,
      dimensionValues(isolatesTopics(context, names) ? withTopic(context) : context, identityLinks),
    ),
  }
  return {
    scope,
    sessionKey: scopeKey(scope),
    sessionAliases: legacyAliases(agentId, context, identityLinks),
    mainSessionKey: mainSessionKey(agentId),
    mainAliases: [mainAlias(agentId)],
    ...(shared ? { identityKey: shared } : {}),
  }
}

function inDimensions(
  names: readonly string[],
  known: Readonly<Record<Dimension, string>>,
): Pick<SessionScope, 'dimensions' | 'values'> {
  const dimensions = names.filter(
    (name): name is Dimension => Object.hasOwn(known, name) && known[name as Dimension] !== '',
  )
  if (dimensions.length === 0) return {}
  return { dimensions, values: Object.fromEntries(dimensions.map((name) => [name, known[name]])) }
}

function isolatesTopics({ channel, topicId }: NormalContext, names: readonly string[]): boolean {
  // In PicoClaw a `Topic` turns this off although it is then ignored as a dimension. The keys depend on that.
  return goLower(channel) === 'telegram' && topicId !== '' && !names.some((name) => /^topic$/i.test(goTrim(name)))
}

function withTopic(context: NormalContext): NormalContext {
  return context.chatId === '' ? context : { ...context, chatId: `${context.chatId}/${context.topicId}` }
}
