import type { DraftPart } from '../contract/change.ts'
import type { JsonObject } from '../contract/json.ts'
import type { Message, MessagePart } from '../contract/message.ts'
import { isObject } from './is-object.ts'
import { textOfParts } from './join-parts.ts'

/** How a reply ended: by itself, without anybody wanting it (a crash, a reload, a failure), or because it was stopped. */
type ReplyEnding = 'complete' | 'interrupted' | 'stopped'

/**
 * The message of a streamed reply so far: its text as `content`, or, when it has structured parts, a list of both in
 * their order; its reasoning as `reasoning_content`; its tool calls as `tool_calls` (OpenAI's form, which PicoClaw has
 * too).
 *
 * @param base - the message that the reply continues: fields that the reply does not set stay as they are there, except
 * the marks `interrupted` and `stopped`
 */
export function replyMessage(role: string, parts: readonly DraftPart[], ending: ReplyEnding, base?: Message): Message {
  const { interrupted: _, stopped: __, ...rest } = base ?? ({} as Partial<Message>)
  const calls = parts.flatMap((part) => (part.type === 'toolInput' ? [callOf(part, base)] : []))
  const reasoning = textOfParts(parts, 'reasoning')
  return {
    ...rest,
    role,
    content: parts.some(({ type }) => type === 'part') ? contentOf(parts) : textOfParts(parts, 'text'),
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(ending === 'complete' ? {} : { interrupted: true }),
    ...(ending === 'stopped' ? { stopped: true } : {}),
  }
}

function contentOf(parts: readonly DraftPart[]): readonly MessagePart[] {
  return parts.flatMap((part): MessagePart[] =>
    part.type === 'text' ? [{ type: 'text', text: part.text }] : part.type === 'part' ? [part.part] : [],
  )
}

/** A provider may need the other fields of a call back. */
function callOf(
  { id, name = '', input }: Extract<DraftPart, { type: 'toolInput' }>,
  base: Message | undefined,
): JsonObject {
  const known = callsOf(base).find((call) => call['id'] === id)
  return { ...known, id, type: known?.['type'] ?? 'function', function: { name, arguments: input } }
}

function callsOf(message: Message | undefined): readonly JsonObject[] {
  const calls = message?.['tool_calls']
  return Array.isArray(calls) ? (calls as readonly unknown[]).filter(isObject) : []
}

/**
 * The parts of a message, so that {@link replyMessage} makes the same message of them and the original. Calls without a
 * string id are left out.
 */
export function messageParts(message: Message): readonly DraftPart[] {
  const { content, reasoning_content: reasoning } = message
  const parts: DraftPart[] = []
  if (typeof reasoning === 'string' && reasoning !== '') parts.push({ type: 'reasoning', text: reasoning })
  if (typeof content === 'string' && content !== '') parts.push({ type: 'text', text: content })
  if (Array.isArray(content)) for (const part of content as readonly MessagePart[]) parts.push(partOf(part))
  for (const { id, function: made } of callsOf(message)) {
    if (typeof id !== 'string') continue
    const { name, arguments: input } = isObject(made) ? made : ({} as JsonObject)
    parts.push({
      type: 'toolInput',
      id,
      ...(typeof name === 'string' ? { name } : {}),
      input: typeof input === 'string' ? input : input === undefined ? '' : JSON.stringify(input),
    })
  }
  return parts
}

function partOf(part: MessagePart): DraftPart {
  if (typeof part === 'string') return { type: 'text', text: part }
  return part.type === 'text' && typeof part['text'] === 'string' && Object.keys(part).length === 2
    ? { type: 'text', text: part['text'] }
    : { type: 'part', part }
}
