import type { LegacyKey } from '../../contract/message-identity.ts'
import type { SessionScope } from '../../contract/scope.ts'
import { goNormal, goTrim } from './go-text.ts'
import { refusal } from './identity-input.ts'
import { normaliseAgentId } from './normalise-id.ts'

/** Whether a key is opaque: it starts with `sk_v1_`, in any case. Source: PicoClaw, `IsOpaqueSessionKey` */
export function isOpaqueKey(key: string): boolean {
  return goNormal(key).startsWith('sk_v1_')
}

/** Whether a key has the old readable form: it starts with `agent:`, in any case, even when nothing follows. */
export function isLegacyKey(key: string): boolean {
  return goNormal(key).startsWith('agent:')
}

/**
 * Whether a key names a session by itself, so that routing must not replace it. Source: PicoClaw,
 * `IsExplicitSessionKey`
 */
export function isExplicitKey(key: string): boolean {
  return isOpaqueKey(key) || isLegacyKey(key)
}

/**
 * The parts of an old readable key; `undefined` for other keys. Stricter than {@link isLegacyKey}: `agent` in lower
 * case, and neither part empty. The rest may have colons. Source: PicoClaw, `ParseLegacyAgentSessionKey`
 */
export function parseLegacyKey(key: string): LegacyKey | undefined {
  const found = /^agent:([^:]+):([^]+)$/.exec(goTrim(key))
  return found === null ? undefined : { agentId: found[1] as string, rest: found[2] as string }
}

/** The agent of a session, as far as its scope or its key says. Source: PicoClaw, `ResolveAgentID` */
export function agentIdOf(key: string, scope?: Pick<SessionScope, 'agent_id'>): string | undefined {
  if (scope !== undefined && goTrim(scope.agent_id) !== '') return normaliseAgentId(scope.agent_id)
  const legacy = parseLegacyKey(key)
  return legacy === undefined ? undefined : normaliseAgentId(legacy.agentId)
}

/**
 * The key that a message goes to: its own, unchanged, when that names a session by itself, otherwise the key of its
 * route.
 *
 * @param routeKey - `sessionKey` of the allocation
 * @param messageKey - the key that the message came with, if any
 * @throws InvalidInput when the key would be blank
 * Source: PicoClaw, `resolveScopeKey`
 */
export function resolveScopeKey(routeKey: string, messageKey?: string | null): string {
  if (typeof messageKey === 'string' && isExplicitKey(messageKey)) return messageKey
  if (typeof routeKey !== 'string' || goTrim(routeKey) === '')
    throw refusal("The route's session key", routeKey, 'Pass the sessionKey that allocateSession gives.')
  return routeKey
}
