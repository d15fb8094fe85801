import type { MessageStream } from '../../client/message-stream-types.ts'
import type { Session } from '../../client/session-contract.ts'
import { isSessionError } from '../../contract/errors.ts'
import type { JsonObject } from '../../contract/json.ts'
import { encodeValues } from '../encode-values.ts'
import { isMendable } from '../is-mendable.ts'
import { unless } from '../unless.ts'
import type { AgUiMessage } from './ag-ui-types.ts'
import { messageOfAgent } from './agent-message.ts'
import { printOf, type RecordedThread, stateType, threadOf } from './recorded-thread.ts'

/** Writes what an agent has to a session, as far as it changed. Each call must wait for the one before. */
export interface ThreadWriter {
  /** A reply begins. */
  begin(id: string, role: string): void
  /** It grows. */
  grow(id: string, delta: string): void
  /** Keeps what arrived of replies that do not go on. @param messages - of the agent, which may have parts of them */
  leave(messages: readonly AgUiMessage[], stopped: boolean): Promise<void>
  /** Records a message that is complete, after those in front of it that are not stored yet. */
  record(message: AgUiMessage, messages: readonly AgUiMessage[]): Promise<void>
  /**
   * Records the whole list, and what was taken out of it. A message that can't be stored does not keep those behind it
   * from it, unless it may be stored later.
   */
  recordAll(messages: readonly AgUiMessage[]): Promise<void>
  recordState(state: unknown): Promise<void>
}

/** A reply that is being streamed. */
interface Growing {
  readonly stream: MessageStream<object>
  /** The agent has all of it. Only storing it may have failed. */
  isComplete: boolean
}

export function createThreadWriter(session: Session<object>): ThreadWriter {
  const thread = threadOf(session)
  const { prints, places } = thread
  const growing = new Map<string, Growing>()

  async function write(message: AgUiMessage): Promise<void> {
    const stored = messageOfAgent(message)
    const print = printOf(stored)
    const { id } = message
    if (prints.get(id) === print) return
    const reply = growing.get(id)
    const place = places.get(id)
    if (reply !== undefined) {
      await endReply(id, reply, stored, print)
    } else if (place !== undefined) await session.edit(place, stored)
    else await session.entries.put(stored, { mid: id })
    prints.set(id, print)
  }
  /** A reply whose session was deleted goes with it: it is neither kept nor tried again before it changes. */
  async function endReply(id: string, { stream }: Growing, stored: object, print: string): Promise<void> {
    try {
      await stream.end(stored)
    } catch (error) {
      if (!isSessionError(error, 'SessionNotFound')) throw error
      growing.delete(id)
      prints.set(id, print)
      await stream.abort({ keep: false })
      throw error
    }
    growing.delete(id)
  }
  const isOpen = (id: string): boolean => growing.get(id)?.isComplete === false

  async function writeAll(messages: Iterable<AgUiMessage>): Promise<void> {
    const errors: unknown[] = []
    for (const message of messages) {
      try {
        await write(message)
      } catch (error) {
        errors.push(error)
        // What follows would be stored in front of it.
        if (isMendable(error)) break
      }
    }
    if (errors.length > 0) throw errors[0]
  }

  return {
    record: async (message, messages) => {
      const reply = growing.get(message.id)
      if (reply !== undefined) reply.isComplete = true
      const at = messages.findIndex(({ id }) => id === message.id)
      const missing = messages.slice(0, Math.max(at, 0)).filter(({ id }) => !prints.has(id) && !isOpen(id))
      await writeAll([...missing, message])
    },
    begin: (id, role) => {
      // A message that is stored already is changed when it is complete.
      if (!prints.has(id) && !growing.has(id))
        growing.set(id, { stream: session.stream({ role, mid: id }), isComplete: false })
    },
    grow: (id, delta) => growing.get(id)?.stream.write(delta),
    leave: async (messages, stopped) => {
      for (const [id, { stream, isComplete }] of growing) {
        if (isComplete) continue
        const kept = await stream.abort({ stopped })
        growing.delete(id)
        const message = messages.find((one) => one.id === id)
        if (kept !== undefined && message !== undefined) prints.set(id, printOf(messageOfAgent(message)))
      }
    },
    recordAll: async (messages) => {
      await followRemoved(session, thread, messages)
      await writeAll(messages.filter(({ id }) => !isOpen(id)))
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
  thread: RecordedThread,
  messages: readonly AgUiMessage[],
): Promise<void> {
  const { prints, places } = thread
  const shown = new Set(messages.map(({ id }) => id))
  const known = [...prints.keys()]
  const first = known.findIndex((id) => !shown.has(id))
  if (first < 0) return
  const gone = known.slice(first).filter((id) => !shown.has(id))
  const refOf = (id: string) => places.get(id) ?? { mid: id }
  if (gone.length < known.length - first) {
    // Another tab may have been faster.
    for (const id of gone) await session.remove(refOf(id)).catch(unless('InvalidInput'))
  } else {
    const opening =
      first === 0 ? session.branches.before(refOf(known[0]!)) : session.branches.after(refOf(known[first - 1]!))
    // Where another tab removed that message, what follows goes to the end.
    await opening.catch(unless('InvalidInput'))
    // The state lies behind what was taken back.
    if (thread.state !== undefined) thread.state = ''
  }
  for (const id of gone) prints.delete(id)
}

const isEmpty = (state: unknown): boolean =>
  typeof state === 'object' && state !== null && Object.keys(state).length === 0
