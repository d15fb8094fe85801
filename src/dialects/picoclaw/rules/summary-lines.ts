import type { Message } from '../../../contract/message.ts'
import { messageText } from '../../../domain/title.ts'
import { callIds, resultIds } from '../../../domain/tool-calls.ts'
import { toolContent } from '../../../domain/tool-content.ts'
import { utf8Length } from '../../../domain/utf8.ts'
import { shorten } from './shorten.ts'

/** The maximum number of code points of a tool's arguments, and of its result. */
const shortLength = 500

type Fields = Readonly<Record<string, unknown>>

/** A part of a conversation in the form for a summary. */
export interface SummaryInput {
  /** Messages of `user` and `assistant` only. */
  readonly messages: readonly Message[]
  /** Whether messages were left out because they are too large. */
  readonly isPartial: boolean
}

/**
 * The input for a summary of a history: its user and assistant messages, without those that are larger than half a
 * context window (two bytes count as one token). Calls and results of tools are added in short form to the text of the
 * assistant that called them, so that the model needs no definitions of the tools. PicoClaw leaves results out, and
 * with them what the assistant had found.
 *
 * Source: PicoClaw, `summarizeSession`
 */
export function summaryInput(history: readonly Message[], contextWindow: number): SummaryInput {
  const messages: Message[] = []
  const calls = new Map<unknown, string>()
  let isPartial = false
  const addResults = (message: Message): void => {
    for (const [id, text] of resultsOf(message))
      addToLastReply(messages, `[${calls.get(id) ?? 'tool'}: ${shorten(text, shortLength)}]`)
  }
  for (const message of history) {
    const { role } = message
    for (const [id, call] of callsOf(message)) calls.set(id, call)
    if (role !== 'assistant') addResults(message)
    if (role === 'user' || role === 'assistant') {
      const text = messageText(message.content) || messageText(message['parts'])
      if (Math.floor(utf8Length(text) / 2) > Math.floor(contextWindow / 2)) isPartial = true
      else if (callIds(message).length + resultIds(message).length === 0) messages.push(message)
      else if (text !== '') messages.push({ role, content: text })
    }
    if (role === 'assistant') addResults(message)
  }
  return { messages, isPartial }
}

/** Adds a text to the assistant's last message. */
function addToLastReply(messages: Message[], text: string): void {
  const last = messages.at(-1)
  if (last?.role !== 'assistant') messages.push({ role: 'assistant', content: text })
  else
    messages[messages.length - 1] = {
      ...last,
      content: [messageText(last.content), text].filter((one) => one !== '').join('\n'),
    }
}

/** The calls of a message by their ids, as `name(arguments)`, in every dialect: see {@link callIds}. */
function callsOf(message: Message): readonly (readonly [unknown, string])[] {
  const parts = partsOf(message).filter((part) => callIds({ content: [part] }).length > 0)
  return [...listOf(message['tool_calls']), ...parts].flatMap((call) => {
    const { name, input } = toolContent(call)
    const { id, toolCallId = id } = call
    return typeof toolCallId === 'string' && name !== ''
      ? [[toolCallId, `${name}(${shorten(textOf(input), shortLength)})`]]
      : []
  })
}

/** The results of tools, by the ids of the calls. See {@link resultIds}. */
function resultsOf(message: Message): readonly (readonly [unknown, string])[] {
  const { role, content, tool_call_id: openAiId, toolCallId: piId = openAiId } = message
  const results = partsOf(message).flatMap((part) =>
    resultIds({ content: [part] }).map((id) => [id, textOf(toolContent(part).output)] as const),
  )
  return results.length === 0 && (role === 'tool' || role === 'toolResult') ? [[piId, textOf(content)]] : results
}

const partsOf = ({ content, parts }: Message): readonly Fields[] => [...listOf(content), ...listOf(parts)]
const textOf = (value: unknown): string =>
  messageText(value) || (value === undefined || value === null || value === '' ? '' : JSON.stringify(value))
const listOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : [])
const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {})
