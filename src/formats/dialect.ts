import type { ConversationDialect } from './conversation/conversation.ts'
import { isObject } from './is-plain-object.ts'
import { nextChatSessions } from './nextchat/read-nextchat-state.ts'

/** The kinds of files that are recognised. Some of them can't be imported, and are only named in messages. */
export type Dialect = ConversationDialect | 'pi' | 'picoclaw' | 'agently' | 'ai-panel' | 'aixgo' | 'keepsession'

/** The meaning of one JSON value of a file: a conversation, a part of one, or a part of a directory. */
export type Recognised = { readonly dialect: Dialect; readonly part: 'whole' | 'line' | 'message' } | undefined

type Fields = Readonly<Record<string, unknown>>

/**
 * Recognises a JSON value by its members, never by the name of its file.
 *
 * @param isLine - whether it is one of several lines: some formats consist only of lines
 */
export function recognise(value: unknown, isLine: boolean): Recognised {
  if (!isObject(value)) return undefined
  const whole = wholeDialect(value)
  if (whole !== undefined) return { dialect: whole, part: 'whole' }
  const line = isLine ? lineDialect(value) : undefined
  if (line !== undefined) return { dialect: line, part: 'line' }
  if (isUiMessage(value)) return { dialect: 'ai-sdk', part: 'message' }
  if (!isMessage(value)) return undefined
  // The lines of a PicoClaw session are messages with a time.
  return { dialect: isLine && typeof value['created_at'] === 'string' ? 'picoclaw' : 'openai', part: 'message' }
}

function wholeDialect(value: Fields): Dialect | undefined {
  const { mapping, chat_messages: claudeMessages, chat, history, conversations, messages, key } = value
  if (value['format'] === 'keepsession-archive') return 'keepsession'
  if (isObject(mapping)) return 'chatgpt'
  if (Array.isArray(claudeMessages)) return 'claude'
  const exported = exportedDialect(value)
  if (exported !== undefined) return exported
  if (hasHistory(isObject(chat) ? chat['history'] : history)) return 'open-webui'
  if (Array.isArray(conversations) && conversations.some((one) => isObject(one) && typeof one['from'] === 'string'))
    return 'sharegpt'
  if (Array.isArray(value['full_chat_history']) || Array.isArray(value['current_chat_history'])) return 'agently'
  if (typeof key === 'string' && (typeof value['skip'] === 'number' || Array.isArray(messages))) return 'picoclaw'
  if (hasSome(messages, isUiMessage)) return 'ai-sdk'
  if (hasSome(messages, isMessage)) return 'openai'
  if (
    typeof value['entryId'] === 'string' &&
    typeof value['sessionId'] === 'string' &&
    typeof value['checksum'] === 'string'
  )
    return 'aixgo'
  if (isObject(value['sessions']) && isIndex(value['sessions'], 'agentId')) return 'ai-panel'
  return isIndex(value, 'agentName') ? 'aixgo' : undefined
}

/** Exports of other chats and agents, each recognised by what only it has. */
function exportedDialect(value: Fields): Dialect | undefined {
  const { conversations, chunkedPrompt, messages, chats } = value
  if (nextChatSessions(value) !== undefined) return 'nextchat'
  if (isObject(chunkedPrompt) && Array.isArray(chunkedPrompt['chunks'])) return 'ai-studio'
  if (hasSome(conversations, (one) => isObject(one['conversation']) && Array.isArray(one['responses']))) return 'grok'
  if (hasSome(chats, (one) => Array.isArray(one['messages']))) return 'better-chatgpt'
  if (typeof value['conversationId'] === 'string' && Array.isArray(value['messagesTree'] ?? messages))
    return 'librechat'
  if (typeof value['sessionId'] === 'string' && hasSome(messages, ({ type }) => type === 'user' || type === 'gemini'))
    return 'gemini-cli'
  return hasSome(messages, ({ versions }) => Array.isArray(versions)) ? 'lm-studio' : undefined
}

function hasSome(list: unknown, is: (one: Fields) => boolean): boolean {
  return Array.isArray(list) && list.some((one) => isObject(one) && is(one))
}

function lineDialect(value: Fields): Dialect | undefined {
  const { type, id, sessionId, uuid, timestamp, data } = value
  if (value['keepsession'] === 'session') return 'keepsession'
  if (type === 'session' && typeof value['agentId'] === 'string' && value['createdAt'] !== undefined) return 'ai-panel'
  // A line of a log without its header; in pi's logs times are strings.
  if (type === 'message' && isObject(value['message']) && isMessage(value['message']) && typeof timestamp === 'number')
    return 'ai-panel'
  if (type === 'session' && id !== undefined) return 'pi'
  if (type === 'session_meta' && isObject(value['payload'])) return 'codex'
  if (value['object'] === 'thread.message' && typeof value['thread_id'] === 'string') return 'jan'
  if (typeof sessionId === 'string' && (typeof uuid === 'string' || typeof type === 'string')) return 'claude-code'
  if (type === 'summary' && typeof value['leafUuid'] === 'string') return 'claude-code'
  if (typeof id === 'string' && typeof timestamp === 'string' && isObject(data) && isAixgoEntry(type, data))
    return 'aixgo'
  return undefined
}

/** Recognised by Aixgo's types, because entries of pi have data too. */
function isAixgoEntry(type: unknown, data: Fields): boolean {
  return type === 'message'
    ? typeof data['payload'] === 'string' || typeof data['type'] === 'string'
    : type === 'checkpoint' || type === 'metadata'
}

function hasHistory(history: unknown): boolean {
  return isObject(history) && isObject(history['messages'])
}

/** An index of sessions by id. */
function isIndex(value: Fields, field: string): boolean {
  const rows = Object.values(value)
  return (
    rows.length > 0 &&
    rows.every((row) => isObject(row) && typeof row['id'] === 'string' && typeof row[field] === 'string')
  )
}

/** Messages of the AI SDK and of TanStack AI say everything in parts. */
function isUiMessage({ id, role, parts }: Fields): boolean {
  return (
    typeof id === 'string' &&
    (role === 'system' || role === 'user' || role === 'assistant') &&
    Array.isArray(parts) &&
    parts.every((part) => isObject(part) && typeof part['type'] === 'string')
  )
}

function isMessage({ role, content, tool_calls: calls }: Fields): boolean {
  return (
    typeof role === 'string' &&
    role !== '' &&
    (content === null || typeof content === 'string' || Array.isArray(content) || Array.isArray(calls))
  )
}
