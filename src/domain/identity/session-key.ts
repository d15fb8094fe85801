import type { SessionScope } from '../../contract/scope.ts'
import { sha256 } from '../sha256.ts'
import { checkScope } from './check-scope.ts'
import { goNormal } from './go-text.ts'
import { normaliseAgentId } from './normalise-id.ts'

/**
 * The opaque key of a text: `sk_v1_` and the SHA-256 of its normal form in hex. `''` for a blank text, which no session
 * can have. Source: PicoClaw, `BuildOpaqueSessionKey`
 */
export function opaqueKey(text: string): string {
  const normal = goNormal(text)
  return normal === '' ? '' : `sk_v1_${sha256([normal])}`
}

/**
 * A scope as one line of text: equal for equal scopes, whatever the case and the white space around their values.
 * Dimensions keep the scope's order. Values are not escaped, so that a value can look like two (`a|sender=b`):
 * PicoClaw's keys are like that, and escaping would change them. Source: PicoClaw, `CanonicalScopeSignature`
 *
 * @throws InvalidInput when it is no scope
 */
export function scopeSignature(scope: SessionScope): string {
  const { version, agent_id, channel, account, dimensions, values } = checkScope(scope)
  let signature = `v=${version}|agent=${goNormal(agent_id)}|channel=${goNormal(channel)}|account=${goNormal(account)}`
  for (const name of (dimensions ?? []).map(goNormal)) {
    if (name === '') continue
    const value = values && Object.hasOwn(values, name) ? (values[name] as string) : ''
    signature += `|${name}=${goNormal(value)}`
  }
  return signature
}

/** The key of the session that has this scope. @throws InvalidInput when it is no scope */
export function scopeKey(scope: SessionScope): string {
  return opaqueKey(scopeSignature(scope))
}

/** The readable name of an agent's main session: `agent:<agent>:main`. */
export function mainAlias(agentId: string): string {
  return `agent:${normaliseAgentId(agentId)}:main`
}

/** The key of an agent's main session. Source: PicoClaw, `BuildMainSessionKey` */
export function mainSessionKey(agentId: string): string {
  return opaqueKey(mainAlias(agentId))
}
