import { readEntries } from '../../client/session/read-entries.ts'
import type { Session } from '../../client/session-contract.ts'
import { decodeValues } from '../encode-values.ts'
import type { AgentSnapshot, AgUiMessage } from './ag-ui-types.ts'
import { messageForAgent, messageOfAgent } from './agent-message.ts'
import { printOf, stateType, threadOf } from './recorded-thread.ts'

/**
 * Loads the messages and the state of a session for a new agent. A reply that was cut off has what arrived of it.
 *
 * @example
 * const agent = new HttpAgent({ url: '/agent', ...(await hydrate(session)) })
 *
 * @throws StorageClosed
 */
// biome-ignore lint/suspicious/noExplicitAny: without a context that says which messages they are, any will do.
export async function hydrate<M = any>(session: Session<object>): Promise<AgentSnapshot<M>> {
  const thread = threadOf(session)
  thread.prints.clear()
  thread.places.clear()
  const messages = new Map<string, AgUiMessage>()
  let state: object | undefined
  for await (const entries of readEntries(session.store, session.key)) {
    for (const { message, mid, id, branch, order, data } of entries) {
      if (message !== undefined) {
        const shown = messageForAgent(message, mid ?? id)
        // A page that died while it ended a reply may have left it twice.
        if (message['interrupted'] === true && messages.has(shown.id)) continue
        messages.set(shown.id, shown)
        if (mid === undefined) thread.places.set(id, { branch, order })
      } else if (data?.['type'] === stateType) state = data
    }
  }
  const ordered = behindTheirCalls([...messages.values()])
  for (const message of ordered) thread.prints.set(message.id, printOf(messageOfAgent(message)))
  thread.state = state && printOf(state)
  return {
    threadId: session.key,
    initialMessages: ordered as M[],
    ...(state && { initialState: decodeValues((state as { readonly state?: unknown }).state) }),
  }
}

/** Puts results directly behind their calls, as AG-UI does: models refuse others. */
function behindTheirCalls(messages: readonly AgUiMessage[]): readonly AgUiMessage[] {
  const results = new Map<string, AgUiMessage[]>()
  const callers = new Map<string, string>()
  for (const { id, toolCalls = [] } of messages as readonly WithCalls[])
    for (const call of toolCalls) callers.set(call.id, id)
  const others = messages.filter((message) => {
    const { role, toolCallId = '' } = message as WithCalls
    const caller = role === 'tool' ? callers.get(toolCallId) : undefined
    if (caller === undefined) return true
    const list = results.get(caller)
    if (list === undefined) results.set(caller, [message])
    else list.push(message)
    return false
  })
  return others.flatMap((message) => [message, ...(results.get(message.id) ?? [])])
}

/** What of a message belongs to tools. */
interface WithCalls extends AgUiMessage {
  readonly toolCalls?: readonly { readonly id: string }[]
  readonly toolCallId?: string
}
