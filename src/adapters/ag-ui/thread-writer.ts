import type { MessageStream } from '../../client/message-stream-types.ts'
import type { Session } from '../../client/session-contract.ts'
import type { JsonObject } from '../../contract/json.ts'
import { encodeValues } from '../encode-values.ts'
import { messageOfAgent } from './agent-message.ts'
import type { AgUiMessage } from './agent-types.ts'
import { printOf, type RecordedThread, stateType, threadOf } from './recorded-thread.ts'

/** Writes what an agent has to a session, as far as it changed. Each call must wait for the one before. */
export interface ThreadWriter {
  /** A reply begins. */
  begin(id: string, role: string): void
  /** It grows. */
  grow(id: string, delta: string): void
  /** Keeps what arrived of a reply that does not go on. @param messages - of the agent, which may have a part of it */
  leave(messages: readonly AgUiMessage[], stopped: boolean): Promise<void>
  record(message: AgUiMessage): Promise<void>
  /** Records the whole list, and what was taken out of it. */
  recordAll(messages: readonly AgUiMessage[]): Promise<void>
  recordState(state: unknown): Promise<void>
}

export function createThreadWriter(session: Session<object>): ThreadWriter {
  const thread = threadOf(session)
  const { prints, places } = thread
  let growing: { readonly id: string; readonly stream: MessageStream<object> } | undefined

  async function record(message: AgUiMessage): Promise<void> {
    const stored = messageOfAgent(message)
    const print = printOf(stored)
    const { id } = message
    if (prints.get(id) === print) return
    const place = places.get(id)
    if (growing?.id === id) {
      const { stream } = growing
      growing = undefined
      await stream.end(stored)
    } else if (place !== undefined) await session.edit(place, stored)
    else await session.entries.put(stored, { mid: id })
    prints.set(id, print)
  }

  return {
    record,
    begin: (id, role) => {
      growing = { id, stream: session.stream({ role, mid: id }) }
    },
    grow: (id, delta) => {
      if (growing?.id === id) growing.stream.write(delta)
    },
    leave: async (messages, stopped) => {
      if (growing === undefined) return
      const { id, stream } = growing
      growing = undefined
      await stream.abort({ stopped })
      const message = messages.find((one) => one.id === id)
      if (message !== undefined) prints.set(id, printOf(messageOfAgent(message)))
    },
    recordAll: async (messages) => {
      await followRemoved(session, thread, messages)
      for (const message of messages) if (message.id !== growing?.id) await record(message)
    },
    recordState: async (state) => {
      if (state === undefined) return
      const data = { type: stateType, state: encodeValues(state) } as JsonObject
      const print = printOf(data)
      if (thread.state === print || (thread.state === undefined && isEmpty(state))) return
      await session.appendAll([{ type: 'custom', data }])
      thread.state = print
    },
  }
}

/** Follows what the app took back: the end of the list goes on from there on a new branch, single messages go. */
async function followRemoved(
  session: Session<object>,
  { prints, places }: RecordedThread,
  messages: readonly AgUiMessage[],
): Promise<void> {
  const shown = new Set(messages.map(({ id }) => id))
  const known = [...prints.keys()]
  const first = known.findIndex((id) => !shown.has(id))
  if (first < 0) return
  const gone = known.slice(first).filter((id) => !shown.has(id))
  const refOf = (id: string) => places.get(id) ?? { mid: id }
  if (gone.length < known.length - first) for (const id of gone) await session.remove(refOf(id))
  else if (first === 0) await session.branches.before(refOf(known[0]!))
  else await session.branches.after(refOf(known[first - 1]!))
  for (const id of gone) prints.delete(id)
}

const isEmpty = (state: unknown): boolean =>
  typeof state === 'object' && state !== null && Object.keys(state).length === 0
