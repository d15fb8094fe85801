import { goNormal } from './go-text.ts'
import { parseLegacyKey } from './key-kind.ts'

/** The opaque key of `agent:main:main`, as a constant: a store that needs only this needs no SHA-256. */
const mainKeyOfMain = 'sk_v1_6d9217fe77c7f11d9cc992aabe81a2d09604e9c48babbda8fdad3791f9c19f3b'

/**
 * Whether a name means an agent's main session: `agent:<any>:main`, the opaque key of the main session of `main`, or
 * the given key. The readable name is among the aliases of every session of the agent. So it must lead to the main
 * session only, and must not be used to promote another session's history. Source: PicoClaw, alias promotion
 *
 * @param mainKey - opaque key of the main session of the agent in question, if known
 */
export function isMainAlias(alias: string, mainKey = mainKeyOfMain): boolean {
  const normal = goNormal(alias)
  return normal === mainKeyOfMain || normal === goNormal(mainKey) || parseLegacyKey(normal)?.rest === 'main'
}
