import { SessionError } from '../../contract/errors.ts'
import { checkId } from '../../domain/identity/check-id.ts'
import { defaultAgent } from './find-chat-session.ts'

/** The meaning of a path. */
export type Route =
  | { readonly kind: 'chat' | 'sessions'; readonly agentId: string }
  | { readonly kind: 'session'; readonly agentId: string; readonly sessionId: string }

/**
 * Finds the route of a path: `agents/:id/chat`, `agents/:id/sessions`, `agents/:id/sessions/:sid`, and PicoClaw's paths
 * for the default agent, which start with `sessions`.
 *
 * @param pathname - still percent-encoded, so that an encoded slash is not a separator
 * @returns `undefined` when it is none of these
 * @throws InvalidPathComponent for an invalid id, or invalid percent-encoding
 */
export function matchRoute(pathname: string, basePath: string): Route | undefined {
  const base = basePath.replace(/\/+$/, '')
  if (!pathname.startsWith(`${base}/`)) return undefined
  const parts = pathname.slice(base.length + 1).split('/')
  const [agent, [place, session, ...more]] = parts[0] === 'agents' ? [parts[1], parts.slice(2)] : [defaultAgent, parts]
  if (
    agent === undefined ||
    more.length > 0 ||
    (place !== 'sessions' && (place !== 'chat' || session !== undefined || parts[0] !== 'agents'))
  )
    return undefined
  const agentId = checkId(decode(agent), 'agent')
  if (place === 'chat' || session === undefined) return { kind: place, agentId }
  return { kind: 'session', agentId, sessionId: checkId(decode(session), 'session') }
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw new SessionError(
      'InvalidPathComponent',
      `"${segment.slice(0, 60)}" is not percent-encoded UTF-8. Encode ids with encodeURIComponent().`,
    )
  }
}
