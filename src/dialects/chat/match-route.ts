import { SessionError } from '../../contract/errors.ts'
import { checkId } from '../../domain/identity/check-id.ts'
import { defaultAgent } from './find-chat-session.ts'

/** What a path stands for. */
export type Route =
  | { readonly kind: 'chat' | 'sessions'; readonly agentId: string }
  | { readonly kind: 'session'; readonly agentId: string; readonly sessionId: string }

/**
 * Finds what a path stands for: `agents/:id/chat`, `agents/:id/sessions`, `agents/:id/sessions/:sid`, and `sessions…`,
 * which are those of the default agent (PicoClaw's paths).
 *
 * @param pathname - still percent-encoded, so that an encoded slash is no separator
 * @returns `undefined` when it is none of these
 * @throws InvalidPathComponent for an id that can't be one, also when its percent-encoding is broken
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
      `"${segment.slice(0, 60)}" is no percent-encoded UTF-8. Encode ids with encodeURIComponent().`,
    )
  }
}
