import { goLower, goNormal, goTrim } from './go-text.ts'

/**
 * An agent's id in the form of keys and aliases: 1 to 64 of `a-z0-9_-`; `main` for none. Source: PicoClaw,
 * `NormalizeAgentID`
 */
export function normaliseAgentId(id: string): string {
  return normalised(id, 'main')
}

/**
 * An account's id in the form of keys and aliases: 1 to 64 of `a-z0-9_-`; `default` for none. Source: PicoClaw,
 * `NormalizeAccountID`
 */
export function normaliseAccountId(id: string): string {
  return normalised(id, 'default')
}

/** A channel's name in the form of keys and aliases: trimmed, in lower case; `unknown` for none. */
export function normaliseChannel(channel: string): string {
  return goNormal(channel) || 'unknown'
}

function normalised(id: string, fallback: string): string {
  const lower = goLower(goTrim(id))
  if (/^[a-z0-9][a-z0-9_-]{0,63}$/.test(lower)) return lower
  // It is cut last, so that an id may end in a hyphen that was not at its end: such keys exist.
  return goTrim(lower.replace(/[^a-z0-9_-]+/g, '-'), '-').slice(0, 64) || fallback
}
