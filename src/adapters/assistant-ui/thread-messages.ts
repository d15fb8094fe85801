import type { EntryView } from '../../contract/entry.ts'
import type { Message } from '../../contract/message.ts'
import { decodeValues, encodeValues } from '../encode-values.ts'

type Fields = Readonly<Record<string, unknown>>

/** Says in which format of another library a message is. */
const formatField = '$format'

/** Holds what a format made of a message that has no role of its own. A message needs one. */
const contentField = '$content'

/** A message of assistant-ui, with the settings of its run, as it is stored. */
export function toStored(message: object, runConfig: unknown): object {
  const { attachments, ...rest } = message as Fields
  // The page's `File` is in the store as a blob.
  const kept = Array.isArray(attachments)
    ? { attachments: attachments.map(({ file: _, ...attachment }: Fields) => attachment) }
    : {}
  return encodeValues({ ...rest, ...kept, ...(runConfig === undefined ? {} : { runConfig }) }) as object
}

/** Whether an entry has a message that assistant-ui shows, its own or that of another host. */
export function isThreadMessage({ message }: EntryView<object>): boolean {
  const { role, [formatField]: format } = (message ?? {}) as Fields
  return format === undefined && (role === 'system' || role === 'user' || role === 'assistant')
}

/** The message in an entry. Of messages of other hosts it has text and reasoning. */
export function fromStored(
  entry: EntryView<object>,
  id: string,
): { readonly message: Fields; readonly runConfig?: unknown } {
  const { runConfig, ...stored } = decodeValues(entry.message) as Fields
  const role = String(stored['role'])
  const message = isOwn(stored) ? { ...stored, id } : { ...blankMessage(role, stored), ...foreign(entry), id, role }
  return runConfig === undefined ? { message } : { message, runConfig }
}

/** Whether assistant-ui itself made the message. */
const isOwn = ({ content, metadata, createdAt }: Fields): boolean =>
  Array.isArray(content) && typeof metadata === 'object' && createdAt instanceof Date

function foreign(entry: EntryView<object>): Fields {
  const { content, parts, reasoning_content: reasoning } = entry.message as Message
  const items: readonly unknown[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? (Array.isArray(parts) ? parts : []))
  const thoughts = typeof reasoning === 'string' && reasoning !== '' ? [{ type: 'reasoning', text: reasoning }] : []
  const texts = items.flatMap((item) => {
    const { type, text } = (typeof item === 'string' ? { type: 'text', text: item } : item) as Fields
    return (type === 'text' || type === 'reasoning') && typeof text === 'string' ? [{ type, text }] : []
  })
  return { createdAt: new Date(entry.at), content: [...thoughts, ...texts] }
}

/** What assistant-ui expects of a message beside its content. */
function blankMessage(role: string, { interrupted }: Fields): Fields {
  if (role !== 'assistant') return { metadata: { custom: {} }, ...(role === 'user' ? { attachments: [] } : {}) }
  return {
    status:
      interrupted === true ? { type: 'incomplete', reason: 'cancelled' } : { type: 'complete', reason: 'unknown' },
    metadata: { unstable_state: null, unstable_annotations: [], unstable_data: [], steps: [], custom: {} },
  }
}

/** What a format made of a message, as it is stored. */
export function toStoredFormat(content: Fields, format: string): object {
  const encoded = encodeValues(content) as Fields
  return typeof encoded['role'] === 'string' && encoded['role'] !== ''
    ? { ...encoded, [formatField]: format }
    : { role: 'assistant', [formatField]: format, [contentField]: encoded }
}

export const isInFormat = ({ message }: EntryView<object>, format: string): boolean =>
  (message as Fields | undefined)?.[formatField] === format

/** Undoes {@link toStoredFormat}. */
export function fromStoredFormat({ message }: EntryView<object>): Fields {
  const { [formatField]: _, [contentField]: content, ...rest } = message as Fields
  return decodeValues(content ?? rest) as Fields
}
