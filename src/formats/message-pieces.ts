import type { JsonObject, JsonValue } from '../contract/json.ts'
import type { Message } from '../contract/message.ts'
import { pushAll } from '../domain/push-all.ts'
import { messageText } from '../domain/title.ts'
import { toolContent } from '../domain/tool-content.ts'
import { toolPart } from '../domain/tool-part.ts'
import { isObject } from './is-plain-object.ts'
import { saidParts } from './said-parts.ts'

/** A part of a message, independent of the library it came from. */
export type MessagePiece =
  | { readonly kind: 'text' | 'reasoning'; readonly text: string }
  /** `arguments`: JSON text. */
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly arguments: string }
  | {
      readonly kind: 'result'
      readonly callId: string
      readonly name: string
      readonly text: string
      readonly isError: boolean
    }
  /** `url`: a web address or a data URI; `''` for a reference that has no meaning elsewhere. */
  | { readonly kind: 'image' | 'file'; readonly url: string; readonly name: string; readonly type: string }

/**
 * Splits a message into its parts, in order. Supports the forms of OpenAI, Anthropic, the AI SDK (`parts`), pi and
 * PicoClaw (`reasoning_content`, `media`, `attachments`), and each form of a tool's call or result that `toolPart`
 * knows. A call that is a part and is in `tool_calls` as well is one piece. Unknown parts are left out.
 */
export function messagePieces(message: Message): readonly MessagePiece[] {
  const { role, content, tool_calls: calls, reasoning_content: reasoning, media, attachments } = message as JsonObject
  if (['tool', 'toolResult', 'function'].includes(role as string) && !hasResultParts(message)) {
    return [
      {
        kind: 'result',
        callId: text(message['tool_call_id'] ?? message['toolCallId']),
        name: text(message['name'] ?? message['toolName']),
        text: resultText(content),
        isError: message['isError'] === true,
      },
    ]
  }
  if (role === 'bashExecution')
    return [{ kind: 'text', text: `Ran \`${text(message['command'])}\`\n\`\`\`\n${text(message['output'])}\n\`\`\`` }]
  const pieces: MessagePiece[] = []
  if (text(reasoning) !== '') pieces.push({ kind: 'reasoning', text: text(reasoning) })
  for (const part of saidParts(message)) pushAll(pieces, partPieces(part))
  const called = new Set(pieces.flatMap((piece) => (piece.kind === 'call' && piece.id !== '' ? [piece.id] : [])))
  if (Array.isArray(calls))
    for (const call of calls as JsonValue[])
      if (!isObject(call) || !called.has(text((call as JsonObject)['id']))) pushAll(pieces, partPieces(call))
  if (Array.isArray(media))
    for (const url of media as JsonValue[]) pieces.push({ kind: 'image', url: openUrl(url), name: '', type: '' })
  if (Array.isArray(attachments))
    for (const one of attachments as JsonValue[]) if (isObject(one)) pieces.push(filePiece(one as JsonObject))
  return pieces
}

function partPieces(part: JsonValue): readonly MessagePiece[] {
  if (typeof part === 'string') return part === '' ? [] : [{ kind: 'text', text: part }]
  if (!isObject(part)) return []
  const fields = part as JsonObject
  const type = text(fields['type'])
  if (type === 'text') {
    const said = messageText([part])
    return said === '' ? [] : [{ kind: 'text', text: said }]
  }
  if (type === 'thinking' || type === 'reasoning')
    return [{ kind: 'reasoning', text: text(fields['thinking'] ?? fields['text'] ?? fields['content']) }]
  if (type === 'image' || type === 'image_url' || type === 'input_image') return [imagePiece(fields)]
  if (type === 'file' || type === 'document') return [filePiece(fields)]
  const tool = toolPart(fields)
  if (tool?.kind === 'call') return [callPiece(fields, tool.id)]
  if (tool?.kind === 'result') return [resultPiece(fields, tool.id)]
  if (tool !== undefined || isOldUiTool(type)) {
    const id = fields['toolCallId']
    const hasEnded = tool?.kind === 'whole' || fields['output'] !== undefined || fields['errorText'] !== undefined
    return hasEnded ? [callPiece(fields, id), resultPiece(fields, id)] : [callPiece(fields, id)]
  }
  return isObject(fields['function']) ? [callPiece(fields, fields['id'])] : []
}

/** A tool part of the AI SDK without a state. Questions for approval, and the answers to them, are no calls. */
function isOldUiTool(type: string): boolean {
  return type === 'dynamic-tool' || (type.startsWith('tool-') && !type.startsWith('tool-approval-'))
}

/** The AI SDK puts the results of several calls into one message. */
function hasResultParts({ content, tool_call_id: openAiId, toolCallId: piId = openAiId }: Message): boolean {
  return piId === undefined && Array.isArray(content) && content.some((part) => toolPart(part)?.kind === 'result')
}

function callPiece(part: JsonObject, id: unknown): MessagePiece {
  const { name, input } = toolContent(part)
  return { kind: 'call', id: text(id), name, arguments: jsonText(input as JsonValue | undefined) }
}

function resultPiece(part: JsonObject, id: unknown): MessagePiece {
  const { name, output, isError } = toolContent(part)
  return { kind: 'result', callId: text(id), name, text: resultText(output as JsonValue | undefined), isError }
}

function imagePiece({ data, mimeType, source, image_url: link, image, url }: JsonObject): MessagePiece {
  const from = (isObject(source) ? source : {}) as JsonObject
  const bytes = text(data ?? from['data'])
  const type = text(mimeType ?? from['media_type']) || 'image/png'
  const found =
    bytes !== ''
      ? `data:${type};base64,${bytes}`
      : openUrl(isObject(link) ? (link as JsonObject)['url'] : (link ?? from['url'] ?? image ?? url))
  return { kind: 'image', url: found, name: '', type }
}

function filePiece(fields: JsonObject): MessagePiece {
  const type = text(fields['mediaType'] ?? fields['content_type'] ?? fields['mimeType'])
  const kind = type.startsWith('image/') ? 'image' : 'file'
  return { kind, url: openUrl(fields['url']), name: text(fields['filename'] ?? fields['name'] ?? fields['ref']), type }
}

function resultText(content: JsonValue | undefined): string {
  if (content === undefined || content === null) return ''
  return typeof content === 'string' ? content : Array.isArray(content) ? messageText(content) : JSON.stringify(content)
}

/** A URL that works outside its app too; otherwise `''`. */
function openUrl(url: JsonValue | undefined): string {
  return typeof url === 'string' && /^(https?:|data:)/i.test(url) ? url : ''
}

function jsonText(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? {})
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
