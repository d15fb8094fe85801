import { isObject } from './is-plain-object.ts'

type Fields = Readonly<Record<string, unknown>>

/** A part of a message, in Anthropic's form. */
export type ContentPart = { readonly type: string; readonly [field: string]: unknown }

/** The content of a message: a text, unless it has other parts. */
export function contentOfParts(parts: readonly ContentPart[]): string | readonly ContentPart[] {
  return parts.every(({ type }) => type === 'text') ? parts.map(({ text }) => text).join('\n') : parts
}

/** A text as parts: none for an empty one. */
export const textParts = (text: unknown): readonly ContentPart[] =>
  typeof text === 'string' && text.trim() !== '' ? [{ type: 'text', text }] : []

/** Thoughts as parts: none for empty ones. */
export const thinkingParts = (thinking: unknown): readonly ContentPart[] =>
  typeof thinking === 'string' && thinking.trim() !== '' ? [{ type: 'thinking', thinking }] : []

/** A call of a tool, and its result if there is one. */
export function callParts(id: string, name: unknown, input: unknown, result: unknown): readonly ContentPart[] {
  const call = { type: 'tool_use', id, name: typeof name === 'string' ? name : 'unknown', input: parsedInput(input) }
  return result === undefined || result === null
    ? [call]
    : [call, { type: 'tool_result', tool_use_id: id, content: resultText(result) }]
}

/** Arguments of a call, which many write as JSON text. */
export function parsedInput(input: unknown): unknown {
  if (typeof input !== 'string') return input ?? {}
  try {
    return JSON.parse(input)
  } catch {
    return { input }
  }
}

export const resultText = (result: unknown): string => (typeof result === 'string' ? result : JSON.stringify(result))

export const objectsOf = (list: unknown): readonly Fields[] => (Array.isArray(list) ? list.filter(isObject) : [])

/** The first of these that is a text. */
export const firstText = (...found: readonly unknown[]): string | undefined =>
  found.find((one): one is string => typeof one === 'string' && one.trim() !== '')
