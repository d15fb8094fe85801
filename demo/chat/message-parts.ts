import type { Message } from '../../src/index.ts'
import { type AttachedFile, attachedFile, isImage } from '../attachments/attached-file.ts'

/** A piece of a message as this app shows it, whichever library wrote it. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'reasoning'; readonly text: string }
  | { readonly kind: 'tool-call'; readonly name: string; readonly input: unknown }
  | { readonly kind: 'tool-result'; readonly name: string; readonly parts: readonly Part[]; readonly failed: boolean }
  | { readonly kind: 'attachment'; readonly label: string; readonly file?: AttachedFile | undefined }
  | { readonly kind: 'unknown'; readonly name: string; readonly value: unknown }

type Fields = Readonly<Record<string, unknown>>

/**
 * Reads a message of OpenAI, Anthropic, the AI SDK (`UIMessage`) or pi as parts. What it doesn't know comes as
 * `unknown`, never lost.
 */
export function messageParts(message: Message): readonly Part[] {
  const fields: Fields = message
  if (message.role === 'bashExecution') return shellParts(fields)
  const content = contentParts(fields['parts'] ?? message.content)
  const reasoning = textOf(fields['reasoning_content']) || textOf(fields['reasoning'])
  const calls = listOf(fields['tool_calls']).map(functionCall)
  const parts = [...(reasoning === '' ? [] : [{ kind: 'reasoning', text: reasoning } as const]), ...content, ...calls]
  return isToolRole(message.role)
    ? [{ kind: 'tool-result', name: resultName(fields), parts, failed: fields['isError'] === true }]
    : parts
}

/** The plain text of a message: what to copy, to edit, or to hand to a model. */
export function messageText(message: Message): string {
  return messageParts(message).flatMap(partTexts).join('\n\n')
}

/** The stored files that a message names. */
export const messageFiles = (message: Message): readonly AttachedFile[] =>
  messageParts(message).flatMap((part) => (part.kind === 'attachment' ? (part.file ?? []) : []))

/** Whether a message does nothing but answer tool calls. Anthropic has such messages said by the user. */
export function isToolResult(message: Message): boolean {
  const parts = messageParts(message)
  return isToolRole(message.role) || (parts.length > 0 && parts.every((part) => part.kind === 'tool-result'))
}

const isToolRole = (role: string): boolean => role === 'tool' || role === 'toolResult' || role === 'function'

function partTexts(part: Part): readonly string[] {
  if (part.kind === 'text') return [part.text]
  return part.kind === 'tool-result' ? part.parts.flatMap(partTexts) : []
}

function contentParts(content: unknown): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }]
  return listOf(content).flatMap((part) =>
    typeof part === 'string' ? contentParts(part) : contentPart(fieldsOf(part)),
  )
}

function contentPart(part: Fields): Part[] {
  const type = textOf(part['type'])
  switch (type) {
    case 'text':
    case 'input_text':
    case 'output_text':
      return contentParts(part['text'])
    case 'refusal':
      return contentParts(part['refusal'])
    case 'thinking':
    case 'reasoning':
      return reasoningPart(textOf(part['thinking']) || textOf(part['text']))
    case 'redacted_thinking':
      return reasoningPart('(hidden by the provider)')
    case 'tool_use':
    case 'toolCall':
    case 'tool-call':
      return [
        {
          kind: 'tool-call',
          name: textOf(part['name']) || textOf(part['toolName']),
          input: part['input'] ?? part['arguments'] ?? part['args'],
        },
      ]
    case 'tool_result':
      return [
        {
          kind: 'tool-result',
          name: resultName(part),
          parts: contentParts(part['content']),
          failed: part['is_error'] === true,
        },
      ]
    case 'image':
    case 'image_url':
    case 'input_image':
      return [{ kind: 'attachment', label: attachmentLabel('Image', part) }]
    case 'input_audio':
      return [{ kind: 'attachment', label: attachmentLabel('Audio', part) }]
    case 'file':
    case 'document':
    case 'input_file':
      return [
        {
          kind: 'attachment',
          label: attachmentLabel(isImage(textOf(part['mimeType'])) ? 'Image' : 'File', part),
          file: attachedFile(part),
        },
      ]
    case 'step-start':
      return []
    default:
      return type.startsWith('tool-') || type === 'dynamic-tool'
        ? uiToolParts(type, part)
        : [{ kind: 'unknown', name: type || 'part', value: part }]
  }
}

const reasoningPart = (text: string): Part[] => (text === '' ? [] : [{ kind: 'reasoning', text }])

/** The AI SDK keeps a call and its result in one part that changes its `state`. */
function uiToolParts(type: string, part: Fields): Part[] {
  const name = textOf(part['toolName']) || type.replace(/^tool-/, '')
  const call: Part = { kind: 'tool-call', name, input: part['input'] }
  const error = textOf(part['errorText'])
  if (error !== '') return [call, { kind: 'tool-result', name, parts: contentParts(error), failed: true }]
  if (part['output'] === undefined) return [call]
  return [call, { kind: 'tool-result', name, parts: contentParts(printed(part['output'])), failed: false }]
}

function functionCall(call: unknown): Part {
  const fields = fieldsOf(call)
  const called = fieldsOf(fields['function'] ?? fields)
  return { kind: 'tool-call', name: textOf(called['name']), input: called['arguments'] }
}

function shellParts(fields: Fields): Part[] {
  const code = fields['exitCode']
  return [
    { kind: 'tool-call', name: 'shell', input: textOf(fields['command']) },
    {
      kind: 'tool-result',
      name: 'shell',
      parts: contentParts(fields['output']),
      failed: typeof code === 'number' && code !== 0,
    },
  ]
}

function resultName(fields: Fields): string {
  return textOf(fields['toolName']) || textOf(fields['name']) || 'Result'
}

function attachmentLabel(what: string, part: Fields): string {
  const detail =
    textOf(part['filename']) || textOf(part['name']) || textOf(part['mimeType']) || textOf(part['mediaType'])
  return detail === '' ? what : `${what}: ${detail}`
}

/** A value as text for people: text as it is, anything else as indented JSON. */
export function printed(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value, null, 2) ?? ''
  if (!/^\s*[[{]/.test(value)) return value
  try {
    return JSON.stringify(JSON.parse(value), null, 2)
  } catch {
    return value
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {})
