import type { MessageStream } from '../../client/message-stream-types.ts'
import type { Session } from '../../client/session-contract.ts'
import type { EntryRef } from '../../contract/entry.ts'
import type { ReplySession } from './reply-session.ts'
import { fromStored } from './thread-message.ts'
import type { ThreadMessage } from './thread-types.ts'

/** What a tab knows of what is stored of a thread. */
export interface KnownThread {
  /** The messages that this tab loaded or stored last, by id. */
  readonly messages: Map<string, ThreadMessage>
  /** Where the loaded messages are that have no id of a host. */
  readonly places: Map<string, EntryRef>
  /** Messages that were refused because the session was deleted. */
  readonly refused: Set<string>
  /** The list that was stored last; absent after a load, and while a list is stored or could not be. */
  shown: readonly ThreadMessage[] | undefined
  /** Whether the chat has shown no list since the messages were loaded. */
  isLoaded: boolean
  /** The reply that is being journalled. */
  reply: OpenReply | undefined
  /** When a message was stored last, in milliseconds since 1970. */
  wroteAt: number
  /** The stored state for resuming, as JSON; `''` when there is none. */
  resumeText: string
}

interface OpenReply {
  readonly id: string
  readonly stream: MessageStream<object>
  readonly grow: (message: ThreadMessage) => void
  /** The session that it was begun in; `undefined` if it could not be begun. */
  readonly begunIn: Promise<ReplySession | 'unknown' | undefined>
}

export const unknownThread = (): KnownThread => ({
  messages: new Map(),
  places: new Map(),
  refused: new Set(),
  shown: undefined,
  isLoaded: false,
  reply: undefined,
  wroteAt: 0,
  resumeText: '',
})

/** Reads what is stored. */
export async function readThread(session: Session<object>): Promise<KnownThread> {
  const known = { ...unknownThread(), isLoaded: true }
  for await (const entry of session) {
    const message = fromStored(entry)
    if (message === undefined) continue
    if (entry.mid === undefined) known.places.set(message.id, { branch: entry.branch, order: entry.order })
    // A tab that died while it ended a reply may have left it twice.
    const isCut = (entry.message as { readonly interrupted?: unknown }).interrupted === true
    if (!isCut || !known.messages.has(message.id)) known.messages.set(message.id, message)
  }
  return known
}
