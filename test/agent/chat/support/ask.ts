import {
  type ChatEvent,
  type ChatHandler,
  type ChatModel,
  chatEvents,
  type ModelEvent,
  type ModelRequest,
} from '../../../../src/chat.ts'

/** A request that posts a message. */
export function messageRequest(
  body: object,
  { agent = 'main', signal }: { readonly agent?: string; readonly signal?: AbortSignal } = {},
): Request {
  return new Request(`http://localhost/api/agents/${agent}/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  })
}

export async function eventsOf(response: Response): Promise<ChatEvent[]> {
  const events: ChatEvent[] = []
  for await (const event of chatEvents(response)) events.push(event)
  return events
}

/** Posts a message and hears it to the end. */
export async function ask(
  handle: ChatHandler,
  body: object,
  options?: Parameters<typeof messageRequest>[1],
): Promise<ChatEvent[]> {
  return eventsOf(await handle(messageRequest(body, options)))
}

export const get = (handle: ChatHandler, path: string): Promise<Response> =>
  handle(new Request(`http://localhost${path}`))

/** A model that does as it is told, and remembers what it was asked. */
export function createModel(
  reply: (request: ModelRequest, n: number) => Iterable<ModelEvent> | AsyncIterable<ModelEvent>,
): ChatModel & { readonly asked: ModelRequest[] } {
  const asked: ModelRequest[] = []
  return {
    asked,
    async *reply(request) {
      asked.push(request)
      yield* reply(request, asked.length)
    },
  }
}

export const text = (words: string): ModelEvent => ({ type: 'text', text: words })
