import { SessionError } from '../../contract/errors.ts'
import type { RetentionPolicy } from './retention-policy.ts'

const limits = ['maxSessions', 'maxAgeMs', 'maxBytes'] as const
const actions: readonly unknown[] = ['archive', 'compact', 'delete']

/** @throws InvalidInput for a contradictory or malformed policy */
export function checkRetention(policy: RetentionPolicy): RetentionPolicy {
  const refuse = (reason: string): never => {
    throw new SessionError('InvalidInput', `A retention policy ${reason}.`)
  }
  if (typeof policy !== 'object' || (policy as RetentionPolicy | null) === null)
    refuse(`must be an object, got ${String(policy)}`)
  for (const name of [...limits, 'purgeDeletedAfterMs'] as const) {
    const value: unknown = policy[name]
    if (value !== undefined && !(typeof value === 'number' && value >= 0))
      refuse(`must have a number of 0 or more as ${name}, got ${String(value)}`)
  }
  const { action } = policy
  if (action !== undefined && typeof action !== 'function' && !actions.includes(action))
    refuse(`must have "archive", "compact", "delete" or a function as action, got ${String(action)}`)
  if (action === undefined && limits.some((name) => policy[name] !== undefined))
    refuse('with a limit must have an `action` for the sessions beyond it')
  if (action === 'archive' && policy.maxBytes !== undefined)
    refuse("can't keep maxBytes by archiving, which frees nothing")
  return policy
}
