import type { Message } from '../../contract/message.ts'

/**
 * Whether a message still has content after something was taken out of it: a text, a medium, a call, a result. Blank
 * texts, thoughts (about content that is gone) and marks between steps do not count, and providers refuse a message
 * with nothing else.
 */
export function hasSubstance({
  content,
  parts,
  tool_calls: calls,
  media,
  attachments,
  function_call: call,
  refusal,
  audio,
}: Message): boolean {
  if (typeof content === 'string' ? content.trim() !== '' : listOf(content).some(isSubstance)) return true
  if (listOf(parts).some(isSubstance) || [calls, media, attachments].some((list) => listOf(list).length > 0))
    return true
  // OpenAI has these fields next to a `content` of `null`.
  return [call, refusal, audio].some((field) => field !== undefined && field !== null && field !== '')
}

const typesWithoutSubstance: ReadonlySet<unknown> = new Set([
  'step-start',
  'reasoning',
  'thinking',
  'redacted_thinking',
])

function isSubstance(part: unknown): boolean {
  if (typeof part === 'string') return part.trim() !== ''
  const { type, text } = (part ?? {}) as { readonly type?: unknown; readonly text?: unknown }
  return !typesWithoutSubstance.has(type) && (type !== 'text' || (typeof text === 'string' && text.trim() !== ''))
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
