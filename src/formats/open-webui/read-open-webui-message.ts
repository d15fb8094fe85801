import { isObject } from '../is-plain-object.ts'
import { parsedInput } from '../message-content.ts'
import { detailParts } from './detail-parts.ts'

type Fields = Readonly<Record<string, unknown>>
type Part = { readonly type: string; readonly [field: string]: unknown }

/**
 * Reads a message of Open WebUI; `undefined` for one without content. Reasoning and tool calls are in `output` (items
 * of OpenAI's Responses), otherwise in `<details>` blocks of the text; in both cases they become parts.
 */
export function readMessage(message: Fields, id: string): Fields | undefined {
  const { role, content, output, model, files, error } = message
  const items = (Array.isArray(output) ? output : [])
    .filter(isObject)
    .flatMap((item, i) => itemParts(item, `${id}-${i}`))
  const parts = items.length > 0 ? items : partsOf(content, id)
  const attachments = (Array.isArray(files) ? files : []).filter(isObject).map(attachmentOf)
  const problem = isObject(error) && typeof error['content'] === 'string' ? error['content'] : undefined
  if (parts.length === 0 && attachments.length === 0 && problem === undefined) return undefined
  const isText = parts.every(({ type }) => type === 'text')
  return {
    role,
    content: isText ? parts.map(({ text }) => text).join('\n') : parts,
    ...(typeof model === 'string' && model !== '' ? { model } : {}),
    ...(attachments.length === 0 ? {} : { attachments }),
    ...(problem === undefined ? {} : { error: problem }),
  }
}

function partsOf(content: unknown, id: string): readonly Part[] {
  if (typeof content === 'string') return detailParts(content, id)
  return Array.isArray(content)
    ? content.filter((part): part is Part => isObject(part) && typeof part['type'] === 'string')
    : []
}

function itemParts(
  { type, id, call_id: call = id, name, arguments: given, output, content, summary }: Fields,
  fallback: string,
): readonly Part[] {
  const callId = typeof call === 'string' && call !== '' ? call : fallback
  const inner = [content, summary].flatMap((list) => (Array.isArray(list) ? list : [])).filter(isObject)
  const text = inner
    .map((part) => part['text'])
    .filter((one) => typeof one === 'string')
    .join('\n')
  if (type === 'function_call') return [{ type: 'tool_use', id: callId, name, input: parsedInput(given) }]
  if (type === 'function_call_output')
    return [
      { type: 'tool_result', tool_use_id: callId, content: typeof output === 'string' ? output : outputText(output) },
    ]
  if (text === '') return []
  return type === 'reasoning' ? [{ type: 'thinking', thinking: text }] : [{ type: 'text', text }]
}

function outputText(output: unknown): string {
  return Array.isArray(output)
    ? output.map((part) => (isObject(part) && typeof part['text'] === 'string' ? part['text'] : '')).join('\n')
    : JSON.stringify(output ?? null)
}

/** Files by name. Their other fields are left out, because they may contain the text and the user's account. */
function attachmentOf({ id, name, type, url, file }: Fields): Fields {
  const inner = isObject(file) ? file : {}
  return { name: name ?? inner['filename'], id: id ?? inner['id'], type, ...(type === 'image' ? { url } : {}) }
}
