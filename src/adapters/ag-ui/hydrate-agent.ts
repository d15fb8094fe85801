import { readEntries } from '../../client/session/read-entries.ts'
import type { Session } from '../../client/session-contract.ts'
import { decodeValues } from '../encode-values.ts'
import { messageForAgent, messageOfAgent } from './agent-message.ts'
import type { AgentSnapshot, AgUiMessage } from './agent-types.ts'
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
  const messages: AgUiMessage[] = []
  let state: object | undefined
  for await (const entries of readEntries(session.store, session.key)) {
    for (const { message, mid, id, branch, order, data } of entries) {
      if (message !== undefined) {
        const shown = messageForAgent(message, mid ?? id)
        messages.push(shown)
        thread.prints.set(shown.id, printOf(messageOfAgent(shown)))
        if (mid === undefined) thread.places.set(id, { branch, order })
      } else if (data?.['type'] === stateType) state = data
    }
  }
  thread.state = state && printOf(state)
  return {
    threadId: session.key,
    initialMessages: messages as M[],
    ...(state && { initialState: decodeValues((state as { readonly state?: unknown }).state) }),
  }
}
