import { goNormal } from './go-text.ts'
import { isOpaqueKey, parseLegacyKey } from './key-kind.ts'
import { mainSessionKey } from './session-key.ts'

/**
 * Whether a name means an agent's main session: `agent:<any>:main`, or the opaque key of the main session of `main` or of this agent.
 * Such a name stands among the aliases of every session of the agent, so it must lead to the main session only, and none may take
 * over a history by it. Source: PicoClaw, alias promotion (which knows the opaque key of `main` only)
 *
 * @param agentId - the agent of the session that has the name
 */
export function isMainAlias(alias: string, agentId = 'main'): boolean {
  const normal = goNormal(alias)
  if (isOpaqueKey(normal)) return normal === mainSessionKey('main') || normal === mainSessionKey(agentId)
  return parseLegacyKey(normal)?.rest === 'main'
}
