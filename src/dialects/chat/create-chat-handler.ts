import { SessionError } from '../../contract/errors.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { answerChat } from './answer-chat.ts'
import { chatParts } from './chat-parts.ts'
import { Problem, problemOf } from './chat-problem.ts'
import type { ChatHandler, ChatHandlerOptions } from './chat-types.ts'
import { requireSession } from './find-chat-session.ts'
import { listSessions } from './list-chat-sessions.ts'
import { matchRoute, type Route } from './match-route.ts'
import { readJsonBody } from './read-json-body.ts'
import { streamSession } from './session-detail.ts'
import { sessionRow } from './session-row.ts'

type Answer<Kind extends Route['kind']> = (
  route: Extract<Route, { readonly kind: Kind }>,
  request: Request,
  waitUntil: (work: Promise<unknown>) => void,
) => Response | Promise<Response>
type Answers = { readonly [Kind in Route['kind']]: Readonly<Record<string, Answer<Kind>>> }

/**
 * Serves chats and their sessions with the Fetch API: in a Service Worker, in a page or on a server. It has these paths
 * below `basePath` for each agent: `POST agents/:id/chat` answers `{message, sessionId?, context?, images?}` with
 * server-sent events ({@link ChatEvent}); `GET agents/:id/sessions` lists sessions; `GET`, `PATCH {title}` and `DELETE
 * agents/:id/sessions/:sid` read, rename and delete one. Paths that start with `sessions` belong to the agent `main`.
 *
 * A session belongs to the agent that created it (`agentId` in its metadata; without one, to `main`); for any other
 * agent the answer is 404. Errors are JSON, `{ error: { name, message } }`.
 *
 * @throws InvalidInput when a reply of `maxTokens` would leave no room in `contextWindow`; TypeError when
 * `contextManager` is not valid. Source: ai-panel (routes, events, runner), PicoClaw (its launcher's previews and
 * listing)
 */
export function createChatHandler(store: SessionStore, options: ChatHandlerOptions): ChatHandler {
  const { basePath = '/api', agents, mostBodyBytes = 12 * 1024 * 1024 } = options
  const onError = (error: unknown): void => {
    try {
      options.onError?.(error)
    } catch {
      // An error in `onError` must not cause another error.
    }
  }
  const isAgent = typeof agents === 'function' ? agents : (agentId: string) => agents?.includes(agentId) ?? true
  const chat = chatParts(store, options, onError, mostBodyBytes)

  const list: Answer<'sessions'> = async ({ agentId }, { url }) =>
    json(await listSessions(store, agentId, new URL(url).searchParams))
  const show: Answer<'session'> = async ({ agentId, sessionId }) => {
    const { key } = await requireSession(store, agentId, sessionId)
    // Turns the drafts of replies whose worker died into entries.
    await store.listDrafts(key)
    return new Response(await streamSession(store, await requireSession(store, agentId, key)), { headers: jsonHeaders })
  }
  const answers: Answers = {
    chat: { POST: ({ agentId }, request, waitUntil) => answerChat(chat, agentId, request, waitUntil) },
    sessions: { GET: list, HEAD: list },
    session: {
      GET: show,
      HEAD: show,
      PATCH: async ({ agentId, sessionId }, request) => {
        const { title } = await readJsonBody(request, mostBodyBytes)
        if (title !== null && (typeof title !== 'string' || title.trim() === ''))
          throw new SessionError(
            'InvalidInput',
            '"title" must be a string that is not blank, or null for the automatic title.',
          )
        const { key } = await requireSession(store, agentId, sessionId)
        return json(sessionRow(await store.updateMeta(key, { title })))
      },
      DELETE: async ({ agentId, sessionId }) => {
        const { key } = await requireSession(store, agentId, sessionId)
        await store.delete(key)
        return new Response(null, { status: 204 })
      },
    },
  }

  async function answer(request: Request, waitUntil: (work: Promise<unknown>) => void): Promise<Response> {
    const route = matchRoute(new URL(request.url).pathname, basePath)
    if (route === undefined || !isAgent(route.agentId))
      throw new Problem(
        404,
        'NotFound',
        'This path does not exist. The paths are agents/:id/chat and agents/:id/sessions.',
      )
    const methods = answers[route.kind] as Readonly<Record<string, Answer<Route['kind']>>>
    const allow = [...Object.keys(methods), 'OPTIONS'].join(', ')
    if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: { allow } })
    const method = Object.hasOwn(methods, request.method) ? methods[request.method] : undefined
    if (method === undefined)
      throw new Problem(405, 'MethodNotAllowed', `${request.method} is not allowed here. Use one of ${allow}.`, {
        allow,
      })
    return method(route as never, request, waitUntil)
  }

  return async (request, work) => {
    try {
      const response = await answer(request, (promise) => work?.waitUntil(promise))
      if (request.method !== 'HEAD') return response
      await response.body?.cancel()
      return new Response(null, response)
    } catch (error) {
      const { status, name, message, headers } = problemOf(error)
      if (status === 500) onError(error)
      return json({ error: { name, message } }, status, headers)
    }
  }
}

const jsonHeaders = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}

function json(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(value), { status, headers: { ...jsonHeaders, ...headers } })
}
