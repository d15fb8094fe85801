import { messageText } from '../../domain/title.ts'
import { isObject } from '../is-plain-object.ts'

type Fields = Readonly<Record<string, unknown>>

/** A line of a Claude Code log that was converted. Without data it is only a place in the tree. */
export interface ReadLine {
  readonly type: string
  readonly data?: Fields
}

/** Messages that Claude Code itself writes with the user's role. */
const pseudoUser =
  /^\s*<(command-name|command-message|local-command-stdout|local-command-stderr|bash-input|bash-stdout)>/

/**
 * Reads one line; `undefined` for lines that are not part of the conversation (snapshots of files, queues, …) and have
 * no place in its tree. Messages keep Anthropic's form. Messages that Claude Code writes in the user's name (`isMeta`,
 * `<command-name>`) become `custom_message` entries, so that they don't open turns or give titles. The summary after a
 * compaction becomes a compaction.
 */
export function readLine(value: Fields): ReadLine | undefined {
  const { type, uuid, message, isMeta, isSidechain, isCompactSummary } = value
  if (type === 'user' || type === 'assistant') {
    if (!isObject(message)) return { type: 'message' }
    const { role = type, content } = message
    if (isCompactSummary === true) return { type: 'compaction', data: { summary: messageText(content) } }
    if (type === 'user' && (isMeta === true || (typeof content === 'string' && pseudoUser.test(content)))) {
      return { type: 'custom_message', data: { customType: 'claude-code', content, display: isMeta !== true } }
    }
    return {
      type: 'message',
      data: {
        message: {
          role,
          content,
          ...usageOf(message),
          ...(isSidechain === true ? { metadata: { sidechain: true } } : {}),
        },
      },
    }
  }
  if (typeof uuid !== 'string') return undefined
  // The boundary itself needs no content: the summary that follows becomes the compaction.
  if (type !== 'system' || typeof value['content'] !== 'string' || value['subtype'] === 'compact_boundary')
    return { type: 'custom' }
  return { type: 'custom_message', data: { customType: 'claude-code', content: value['content'], display: true } }
}

function usageOf({ model, usage, stop_reason: stopReason, id }: Fields): Fields {
  return {
    ...(typeof model === 'string' ? { model } : {}),
    ...(isObject(usage) ? { usage } : {}),
    ...(typeof stopReason === 'string' ? { stop_reason: stopReason } : {}),
    ...(typeof id === 'string' ? { responseId: id } : {}),
  }
}
