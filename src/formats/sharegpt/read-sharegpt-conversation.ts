import { contentNodes } from '../conversation/content-nodes.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { OpeningIds } from '../conversation/opening-ids.ts'
import { isObject } from '../is-plain-object.ts'

type Fields = Readonly<Record<string, unknown>>

const roles: Readonly<Record<string, string>> = {
  human: 'user',
  user: 'user',
  gpt: 'assistant',
  chatgpt: 'assistant',
  bing: 'assistant',
  bard: 'assistant',
  model: 'assistant',
  assistant: 'assistant',
  system: 'system',
  function_call: 'assistant',
  observation: 'tool',
  function_response: 'tool',
  tool: 'tool',
}

/**
 * Reads one conversation in ShareGPT's form: `{ id?, conversations: [{ from, value }] }`. A call and the observation
 * that follows are paired.
 */
export function readShareGpt(value: Fields, ids: OpeningIds): Conversation {
  const { id, conversations, system, title } = value
  const said = (Array.isArray(conversations) ? conversations : []).filter(isObject)
  const first =
    typeof system === 'string' && system !== '' && said[0]?.['from'] !== 'system'
      ? [{ role: 'system', content: system }]
      : []
  let call: string | undefined
  const messages = [
    ...first,
    ...said.map((one, i) => {
      const { from, value: text } = one
      const role = typeof from === 'string' && Object.hasOwn(roles, from) ? roles[from]! : from
      const answered = role === 'tool' ? call : undefined
      call = undefined
      if (from !== 'function_call')
        return { role, content: text, ...(answered === undefined ? {} : { tool_call_id: answered }) }
      call = `call-${i}`
      return { role, content: null, tool_calls: [{ id: call, type: 'function', function: calledFunction(text) }] }
    }),
  ]
  const nodes = contentNodes(messages)
  return { dialect: 'sharegpt', sourceId: ids(id, messages), ...(typeof title === 'string' ? { title } : {}), nodes }
}

function calledFunction(text: unknown): Fields {
  try {
    const { name, arguments: given, parameters = given } = JSON.parse(String(text)) as Fields
    if (typeof name === 'string')
      return { name, arguments: typeof parameters === 'string' ? parameters : JSON.stringify(parameters ?? {}) }
  } catch {
    // Not JSON.
  }
  return { name: 'unknown', arguments: JSON.stringify({ input: text }) }
}
