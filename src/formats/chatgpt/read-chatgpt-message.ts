import type { Message } from '../../contract/message.ts'
import { isObject } from '../is-plain-object.ts'

type Fields = Readonly<Record<string, unknown>>
type Part = { readonly type: string; readonly [field: string]: unknown }

/** A message of ChatGPT that was converted; `undefined` for one without content (hidden placeholders). */
export type ReadMessage = Readonly<Record<string, unknown>> & Pick<Message, 'role'>

/**
 * Reads a message of a ChatGPT conversation. A message with a recipient other than `all` is a call of that tool, and
 * becomes a tool call in OpenAI's form. Thoughts become `thinking` parts. Content that users don't see there (custom
 * instructions, memories, placeholders) becomes a system message with `metadata.hidden`.
 *
 * @param node - id of its node, which becomes the id of the call
 */
export function readMessage(message: Fields, node: string): ReadMessage | undefined {
  const author = isObject(message['author']) ? message['author'] : {}
  const about = isObject(message['metadata']) ? message['metadata'] : {}
  const content = isObject(message['content']) ? message['content'] : {}
  const isInstruction =
    content['content_type'] === 'user_editable_context' || content['content_type'] === 'model_editable_context'
  const isHidden = isInstruction || about['is_visually_hidden_from_conversation'] === true
  const found = textOf(author['role']) ?? 'user'
  const role = isHidden && found === 'user' ? 'system' : found
  const parts = partsOf(content)
  const attachments = attachmentsOf(about['attachments'])
  const recipient = textOf(message['recipient'])
  const isCall = role === 'assistant' && recipient !== undefined && recipient !== 'all'
  if (parts.length === 0 && attachments === undefined && !isCall) return undefined
  const texts = parts.every(({ type }) => type === 'text')
    ? parts.map(({ text }) => text as string).join('\n')
    : undefined
  const model = textOf(about['model_slug'])
  const metadata = metadataOf(message, about, isHidden, node)
  return {
    role,
    content: isCall ? null : (texts ?? parts),
    ...(isCall
      ? {
          tool_calls: [
            {
              id: node,
              type: 'function',
              function: { name: recipient, arguments: argumentsOf(texts ?? JSON.stringify(parts)) },
            },
          ],
        }
      : {}),
    ...(textOf(author['name']) === undefined ? {} : { name: author['name'] }),
    ...(model === undefined ? {} : { model }),
    ...(attachments === undefined ? {} : { attachments }),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  }
}

function partsOf(content: Fields): readonly Part[] {
  switch (content['content_type']) {
    case 'thoughts':
      return listOf(content['thoughts']).flatMap((thought) =>
        thinking(
          [textOf(thought['summary']), textOf(thought['content'])].filter((text) => text !== undefined).join('\n'),
        ),
      )
    case 'reasoning_recap':
      return thinking(textOf(content['content']) ?? '')
    case 'user_editable_context':
      return texts([content['user_profile'], content['user_instructions']])
    case 'model_editable_context':
      return texts([content['model_set_context']])
    case 'tether_quote':
      return texts([content['title'], content['url'], content['text']])
  }
  if (Array.isArray(content['parts'])) return (content['parts'] as readonly unknown[]).flatMap(partOf)
  return texts([content['text'], content['result'], content['content']])
}

function partOf(part: unknown): readonly Part[] {
  if (typeof part === 'string') return texts([part])
  if (!isObject(part)) return []
  const { content_type: type, text, ...rest } = part
  if (typeof text === 'string' && type !== 'image_asset_pointer') return texts([text])
  // Pointers to images and sounds. The files with these names are next to the conversations in the export.
  return [{ ...rest, type: textOf(type) ?? 'unknown' }]
}

function texts(found: readonly unknown[]): readonly Part[] {
  return found.flatMap((text) => (textOf(text) === undefined ? [] : [{ type: 'text', text }]))
}

function thinking(text: string): readonly Part[] {
  return text === '' ? [] : [{ type: 'thinking', thinking: text }]
}

/** The arguments of a call are JSON in OpenAI's form; a text that is code or a query becomes the member `input`. */
function argumentsOf(text: string): string {
  try {
    if (isObject(JSON.parse(text))) return text
  } catch {
    // Not JSON.
  }
  return JSON.stringify({ input: text })
}

function attachmentsOf(found: unknown): readonly Fields[] | undefined {
  const list = listOf(found).map(({ name, mime_type: type, mimeType = type, size, id }) => ({
    name,
    mimeType,
    size,
    id,
  }))
  return list.length === 0 ? undefined : list
}

function metadataOf(message: Fields, about: Fields, isHidden: boolean, node: string): Fields {
  const { id, status, channel } = message
  const { citations, content_references: references } = about
  return {
    ...(isHidden ? { hidden: true } : {}),
    ...(typeof id === 'string' && id !== node ? { messageId: id } : {}),
    ...(typeof status === 'string' && status !== 'finished_successfully' ? { status } : {}),
    ...(typeof channel === 'string' ? { channel } : {}),
    ...(Array.isArray(citations) && citations.length > 0 ? { citations } : {}),
    ...(Array.isArray(references) && references.length > 0 ? { references } : {}),
  }
}

function listOf(found: unknown): readonly Fields[] {
  return Array.isArray(found) ? found.filter(isObject) : []
}

function textOf(found: unknown): string | undefined {
  return typeof found === 'string' && found.trim() !== '' ? found : undefined
}
