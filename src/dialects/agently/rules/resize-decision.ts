/** The decision to resize the current view. */
export interface ResizeDecision {
  /** `lite`, `deep`, or the name of a handler of the app. */
  readonly type: string
  readonly reason?: string
  /** How urgent it is; for information only. */
  readonly severity?: number
}

/** The possible results of a policy: nothing to do, a type, or a decision. */
export type PolicyResult = ResizeDecision | string | null | undefined

/**
 * Reads the decision from the result of a policy.
 *
 * @throws TypeError when it is none of {@link PolicyResult}
 * Source: AgentlyMemoSession
 */
export function readPolicyResult(result: unknown): ResizeDecision | null {
  if (result === null || result === undefined) return null
  if (typeof result === 'string') return { type: result }
  if (typeof result === 'object' && typeof (result as { type?: unknown }).type === 'string')
    return result as ResizeDecision
  throw new TypeError(
    `Invalid policy result: ${toText(result)}. A policy must return null, the name of a type, or an object with a type.`,
  )
}

/** The decision when the caller forces a resize: `true` is a deep resize, a string names the type. */
export function forcedDecision(force: string | true): ResizeDecision {
  return { type: force === true ? 'deep' : force, reason: 'force', severity: 1000 }
}

function toText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return String(value)
  }
}
