import { goNormal } from './go-text.ts'
import { opaqueKey } from './session-key.ts'

/**
 * The key of the main session that a readable name `agent:<id>:main` means; `undefined` for other names. It is
 * computed, because every session of an agent has that name among its aliases, so that no table could name its owner.
 * Source: PicoClaw, `BuildMainSessionKey`
 */
export function mainKeyOf(name: string): string | undefined {
  return /^agent:[^:]+:main$/.test(goNormal(name)) ? opaqueKey(name) : undefined
}
