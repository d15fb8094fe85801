import { type FoundFile, pictureOf, withFiles } from '../attachments.ts'
import { contentHash, contentOf } from '../conversation/content-nodes.ts'
import { continueLines } from '../conversation/continue-lines.ts'
import type { Conversation, ConversationNode } from '../conversation/conversation.ts'
import { createSizeGuard } from '../create-size-guard.ts'
import { isObject } from '../is-plain-object.ts'
import type { LogReader } from '../log-reader.ts'
import {
  type ContentPart,
  callParts,
  contentOfParts,
  firstText,
  objectsOf,
  resultText,
  textParts,
} from '../message-content.ts'
import { timeOf } from '../time.ts'

type Fields = Readonly<Record<string, unknown>>

/** What Codex tells the model in the user's name. */
const pseudoUser = /^\s*<(environment_context|user_instructions|turn_aborted|user_shell_command)[\s>]/

/**
 * Reads a log of Codex CLI: `session_meta` begins a session, `response_item` lines are items of OpenAI's Responses.
 * `event_msg` lines repeat them for the screen, and are not read. What Codex says in the user's name, and instructions of
 * the developer, become `custom_message`, which no model gets. Several items of one answer become several messages.
 *
 * @throws (take) TooLarge
 */
export function createCodexReader(): LogReader {
  const hold = createSizeGuard()
  const sessions: { readonly id: string; readonly about: Fields; readonly nodes: ConversationNode[] }[] = []
  return {
    take: ({ type, payload, timestamp }, line, bytes) => {
      const item = isObject(payload) ? payload : {}
      if (type === 'session_meta') {
        const id = firstText(item['id'])
        if (id === undefined) return 'it has no id of a session'
        // A session that was resumed repeats its header.
        if (!sessions.some((one) => one.id === id)) sessions.push({ id, about: item, nodes: [] })
        return undefined
      }
      const data = type === 'response_item' ? readItem(item) : type === 'compacted' ? readSummary(item) : undefined
      if (data === undefined) return undefined
      const session = sessions.at(-1)
      if (session === undefined) return 'it stands before the header of a session'
      hold(bytes)
      const id = contentHash(`${session.nodes.at(-1)?.id ?? ''} ${contentOf(data)}`)
      session.nodes.push({ id, parentId: null, at: timeOf(timestamp) ?? 0, line, ...data })
      return undefined
    },
    end: () =>
      sessions.map(
        ({ id, about, nodes }): Conversation => ({
          dialect: 'codex',
          sourceId: id.trim(),
          createdAt: timeOf(about['timestamp']) ?? 0,
          custom: { cwd: about['cwd'], version: about['cli_version'] },
          nodes: continueLines(nodes),
        }),
      ),
  }
}

type Read = Pick<ConversationNode, 'type' | 'data' | 'leftOut'>

function readItem(item: Fields): Read | undefined {
  const { type, role, content, call_id: call, name, output } = item
  const callId = firstText(call, item['id']) ?? 'call'
  if (type === 'message') return readSaid(role, objectsOf(content))
  if (type === 'reasoning') {
    const thinking = [...objectsOf(item['summary']), ...objectsOf(content)].flatMap(({ text }) => textParts(text))
    return said(thinking.map(({ text }): ContentPart => ({ type: 'thinking', thinking: text })))
  }
  if (type === 'function_call') return said(callParts(callId, name, item['arguments'], undefined))
  if (type === 'custom_tool_call') return said(callParts(callId, name, { input: item['input'] }, undefined))
  if (type === 'local_shell_call') return said(callParts(callId, 'shell', item['action'], undefined))
  if (type === 'function_call_output' || type === 'custom_tool_call_output')
    return { type: 'message', data: { message: { role: 'tool', tool_call_id: callId, content: outputText(output) } } }
  return undefined
}

function readSaid(role: unknown, parts: readonly Fields[]): Read | undefined {
  const text = parts
    .map((part) => part['text'])
    .filter((one) => typeof one === 'string')
    .join('\n')
  const isContext = role === 'developer' || (role === 'user' && pseudoUser.test(text))
  if (isContext) return { type: 'custom_message', data: { customType: 'codex', content: text, display: false } }
  const files = parts.filter((part) => typeof part['text'] !== 'string').map(fileOf)
  const read = withFiles({ role, content: text }, text.trim() !== '', files)
  return Object.keys(read).length === 0 ? undefined : { type: 'message', ...read }
}

/** `input_image` and `input_file` of OpenAI's Responses. */
function fileOf(part: Fields): FoundFile {
  const { filename: name, file_id: id, file_data: data, file_url: url = data, image_url: picture } = part
  return picture === undefined ? { name, id, url } : { ...pictureOf(picture), id }
}

function said(parts: readonly ContentPart[]): Read | undefined {
  return parts.length === 0
    ? undefined
    : { type: 'message', data: { message: { role: 'assistant', content: contentOfParts(parts) } } }
}

function readSummary({ message }: Fields): Read | undefined {
  return typeof message === 'string' && message.trim() !== ''
    ? { type: 'custom_message', data: { customType: 'codex:compacted', content: message, display: false } }
    : undefined
}

/** A text, or JSON of `{ output }`, as older versions wrote it. */
function outputText(output: unknown): string {
  if (isObject(output) && typeof output['content'] === 'string') return output['content']
  if (typeof output !== 'string') return resultText(output ?? '')
  try {
    const parsed: unknown = JSON.parse(output)
    return isObject(parsed) && typeof parsed['output'] === 'string' ? parsed['output'] : output
  } catch {
    return output
  }
}
