import type { JsonObject, JsonValue } from '../contract/json.ts'
import type { Message } from '../contract/message.ts'
import { pushAll } from '../domain/push-all.ts'
import { messageText } from '../domain/title.ts'
import { isObject } from './is-plain-object.ts'

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
 * Splits a message into its parts, in order. Supports the forms of OpenAI, Anthropic, the AI SDK (`parts`), pi
 * (`toolCall`, `toolResult`) and PicoClaw (`reasoning_content`, `media`, `attachments`). Unknown parts are left out.
 */
export function messagePieces(message: Message): readonly MessagePiece[] {
  const {
    role,
    content,
    parts,
    tool_calls: calls,
    reasoning_content: reasoning,
    media,
    attachments,
  } = message as JsonObject
  if (['tool', 'toolResult', 'function'].includes(role as string)) {
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
  const said = content ?? parts
  if (typeof said === 'string' && said !== '') pieces.push({ kind: 'text', text: said })
  if (Array.isArray(said)) for (const part of said as JsonValue[]) pushAll(pieces, partPieces(part))
  if (Array.isArray(calls)) for (const call of calls as JsonValue[]) pushAll(pieces, partPieces(call))
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
  if (type === 'text') return text(fields['text']) === '' ? [] : [{ kind: 'text', text: text(fields['text']) }]
  if (type === 'thinking' || type === 'reasoning')
    return [{ kind: 'reasoning', text: text(fields['thinking'] ?? fields['text']) }]
  if (type === 'image' || type === 'image_url' || type === 'input_image') return [imagePiece(fields)]
  if (type === 'file' || type === 'document') return [filePiece(fields)]
  if (type === 'tool_result')
    return [
      {
        kind: 'result',
        callId: text(fields['tool_use_id']),
        name: '',
        text: resultText(fields['content']),
        isError: fields['is_error'] === true,
      },
    ]
  if (type === 'toolCall' || type === 'tool_use')
    return [
      {
        kind: 'call',
        id: text(fields['id']),
        name: text(fields['name']),
        arguments: jsonText(fields['arguments'] ?? fields['input']),
      },
    ]
  if (type.startsWith('tool-') || type === 'dynamic-tool') return uiTool(fields, type)
  const called = fields['function']
  return isObject(called)
    ? [
        {
          kind: 'call',
          id: text(fields['id']),
          name: text(called['name']),
          arguments: jsonText((called as JsonObject)['arguments']),
        },
      ]
    : []
}

/** A tool part of the AI SDK is call and result in one. */
function uiTool({ toolCallId, toolName, input, output, errorText }: JsonObject, type: string): readonly MessagePiece[] {
  const [id, name] = [text(toolCallId), text(toolName) || type.slice('tool-'.length)]
  const call = { kind: 'call', id, name, arguments: jsonText(input) } as const
  if (output === undefined && errorText === undefined) return [call]
  return [
    call,
    {
      kind: 'result',
      callId: id,
      name,
      text: errorText === undefined ? resultText(output) : text(errorText),
      isError: errorText !== undefined,
    },
  ]
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
