import type { Session } from '../../client/session-contract.ts'
import type { EntryRef, EntryView } from '../../contract/entry.ts'
import { SessionError } from '../../contract/errors.ts'
import type { ChatState, EntryPlace } from './chat-state.ts'
import { fromStored, settle, toStored } from './stored-message.ts'
import type { ChatMessage, LoadedMessage } from './ui-message.ts'

/** What is stored of a chat, by the ids that the chat has for its messages. */
export interface ChatMessages {
  find(id: string): Promise<EntryView<object> | undefined>
  /** @throws InvalidInput when it is not stored */
  get(id: string): Promise<EntryView<object>>
  /** Whether a message is still a draft, in any tab. Put now, it would be there twice when the draft ends. */
  isStreamed(id: string): Promise<boolean>
  /**
   * Stores a message as the chat has it. @param isCut - whether more of it should come; absent: as it is stored
   */
  put(message: ChatMessage, isCut?: boolean): Promise<EntryPlace>
  /** Stores what the chat has of an earlier message. One that is not stored yet is stored by its own request. */
  putKnown(message: ChatMessage): Promise<void>
  /** Stores a message in its stored form. */
  write(id: string, message: object): Promise<EntryPlace>
}

/** @param line - where messages go that are new */
export function chatMessages(
  session: Session<object>,
  { files, places }: ChatState,
  line: () => { readonly branch?: string },
): ChatMessages {
  const refTo = (id: string): EntryRef => places.get(id) ?? { mid: id }
  const find: ChatMessages['find'] = (id) => session.entries.find(refTo(id))

  async function isStreamed(id: string): Promise<boolean> {
    const order = places.get(id)?.order
    const drafts = await session.store.listDrafts(session.key)
    return drafts.some(({ mid, resumes }) => mid === id || (resumes !== undefined && resumes.order === order))
  }

  async function write(id: string, message: object): Promise<EntryPlace> {
    const place = places.get(id)
    if (place === undefined) return (await session.entries.put(message, { mid: id, ...line() })).entry
    await session.edit(place, message)
    return place
  }

  async function put(message: ChatMessage, isCut?: boolean): Promise<EntryPlace> {
    const { id } = message
    const place = places.get(id)
    const isAsStored = isCut === undefined && (place !== undefined || message.role === 'assistant')
    const known = isAsStored ? await find(id) : undefined
    const isInterrupted = isCut ?? (known?.message as LoadedMessage<ChatMessage> | undefined)?.interrupted === true
    const stored = await toStored(message, files, isInterrupted)
    if (place === undefined || known === undefined) return write(id, stored)
    // What another host wrote stays in its form until the user changes it.
    const shown = fromStored(known)
    const before = shown && (await toStored(settle(shown), files, isInterrupted))
    return JSON.stringify(before) === JSON.stringify(stored) ? place : write(id, stored)
  }

  return {
    find,
    get: async (id) => {
      const found = await find(id)
      if (found !== undefined) return found
      throw new SessionError(
        'InvalidInput',
        `The message ${id} is to go on, but session "${session.key}" does not have it: it could not be stored, was ` +
          'removed, or is still being streamed. Send the request again when it is complete.',
      )
    },
    isStreamed,
    put,
    putKnown: async (message) => {
      // Asked in this order, so that a draft which ends meanwhile is found as an entry.
      if (!(await isStreamed(message.id)) && (await find(message.id)) !== undefined) await put(message)
    },
    write,
  }
}
