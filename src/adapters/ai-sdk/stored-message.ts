import type { EntryView } from '../../contract/entry.ts'
import type { Message } from '../../contract/message.ts'
import { decodeValues, encodeValues } from '../encode-values.ts'
import type { FileUrls } from '../file-urls.ts'
import { foldChunks } from './fold-chunks.ts'
import { withUrls } from './message-files.ts'
import { piecesOf, readPieces } from './read-pieces.ts'
import type { ChatMessage, Fields, GrowingMessage, LoadedMessage } from './ui-message.ts'

/** A message as it is stored: without the page's URLs, and in JSON. */
export async function toStored(message: ChatMessage, files: FileUrls, isInterrupted = false): Promise<object> {
  const { interrupted: _, ...rest } = message as LoadedMessage<ChatMessage>
  const parts = await withUrls(message.parts, files.store)
  return { ...(encodeValues({ ...rest, parts }) as object), ...(isInterrupted ? { interrupted: true } : {}) }
}

/**
 * The UI message that is stored in an entry, with what was streamed of it when it was cut off. Takes messages of other
 * hosts, too: of these it shows text and reasoning.
 *
 * @returns `undefined` when it is no message of a system, a user or an assistant
 */
export function fromStored(entry: EntryView<object>): LoadedMessage<ChatMessage> | undefined {
  const message = entry.message as Message | undefined
  if (message === undefined || !roles.has(message.role)) return undefined
  const { content: _, reasoning_content: __, tool_calls: ___, stopped: ____, interrupted, parts, ...rest } = message
  const base = decodeValues({ ...rest, id: entry.mid ?? entry.id, parts: Array.isArray(parts) ? parts : [] })
  const fold = foldChunks(base as GrowingMessage)
  for (const chunk of readPieces()(piecesOf(message))) fold.add(chunk)
  return { ...fold.message, ...(interrupted === true ? { interrupted } : {}) }
}

const roles: ReadonlySet<string> = new Set(['system', 'user', 'assistant'])

/**
 * The same message with nothing in it that waits for more: texts that were cut off are done, and calls whose input was cut
 * off have an error.
 */
export function settle<M extends ChatMessage>(message: M): M {
  const parts = (message.parts as readonly Fields[]).map((part) => {
    if (part['state'] === 'streaming') return { ...part, state: 'done' }
    if (part['state'] !== 'input-streaming') return part
    return { ...part, state: 'output-error', errorText: 'The call was cut off before its input was complete.' }
  })
  return { ...message, parts }
}
