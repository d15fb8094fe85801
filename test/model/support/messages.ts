import type { JsonObject } from '../../../src/contract/json.ts'
import type { PlannedEntry } from '../../../src/domain/writer.ts'

export function user(text: string): PlannedEntry {
  return message({ role: 'user', content: text })
}

/** An assistant's message that makes calls with these ids. */
export function assistant(text: string, calls: readonly string[] = []): PlannedEntry {
  return message({
    role: 'assistant',
    content: text,
    ...(calls.length === 0 ? {} : { tool_calls: calls.map((id) => ({ id })) }),
  })
}

export function tool(call: string): PlannedEntry {
  return message({ role: 'tool', content: `result of ${call}`, tool_call_id: call })
}

export function lineEntry(type: string, text: string): PlannedEntry {
  return { type, data: { text }, at: 1 }
}

export function message(body: JsonObject): PlannedEntry {
  return { type: 'message', data: { message: body }, at: 1 }
}

/** The text of a message or other line entry, to name it in tests. */
export function textOf(data: JsonObject | null): string {
  if (data === null) return ''
  const body = data['message'] as { content?: string } | undefined
  return (body === undefined ? data['text'] : body.content) as string
}
