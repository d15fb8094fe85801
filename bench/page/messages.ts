import type { Message } from '../../src/contract/message.ts'

const latin =
  'The quick brown fox jumps over the lazy dog while thirteen wizards brew coffee, argue about indexes and write down every answer. '
const chinese =
  '会话记录保存在浏览器里，即使断网也能继续阅读和写作；每一条消息都要先写进日志，再显示给用户看，这样就不会丢失任何内容。'

/**
 * Turns of 50 messages: 13 of question and answer, 6 with a tool call and its result between; so 12 % calls and 12 %
 * results.
 */
const roles: readonly ('user' | 'assistant' | 'call' | 'tool')[] = Array.from({ length: 19 }, (_, turn) =>
  turn % 3 === 1 && turn < 18 ? (['user', 'call', 'tool', 'assistant'] as const) : (['user', 'assistant'] as const),
).flat()

/**
 * The message at this place of a conversation: always the same, 200 bytes to 8 kB of JSON with a median of about 700,
 * three in ten in Chinese. Nothing in it is shared with another message, because a structured clone would store what is
 * shared only once.
 */
export function messageAt(index: number): Message {
  const kind = roles[index % roles.length]!
  const chance = fraction(index)
  const bytes = 200 * 40 ** (chance ** 1.556)
  const text = textOf(index, Math.max(20, bytes - 150))
  const usage = { inputTokens: 100 + (index % 900), outputTokens: 20 + (index % 300) }
  const metadata = { model: `model-${index % 7}`, requestId: `req-${index.toString(36).padStart(10, '0')}` }
  switch (kind) {
    case 'user':
      return {
        role: 'user',
        content: text,
        metadata: { ...metadata, client: `tab-${index % 5}`, locale: index % 2 === 0 ? 'en' : 'zh' },
      }
    case 'assistant':
      return { role: 'assistant', content: text, usage, metadata }
    case 'call':
      return {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: `call-${index}`,
            type: 'function',
            function: { name: 'search_documents', arguments: JSON.stringify({ query: text }) },
          },
        ],
        usage,
        metadata,
      }
    case 'tool':
      return { role: 'tool', tool_call_id: `call-${index - 1}`, name: 'search_documents', content: text, metadata }
  }
}

export function messagesBetween(from: number, to: number): Message[] {
  return Array.from({ length: to - from }, (_, i) => messageAt(from + i))
}

/** Text of so many UTF-8 bytes. */
function textOf(index: number, bytes: number): string {
  const isChinese = fraction(index * 7 + 3) < 0.3
  const [sentence, length] = isChinese ? [chinese, bytes / 3] : [latin, bytes]
  const start = index % sentence.length
  return sentence.repeat(Math.ceil(length / sentence.length) + 1).slice(start, start + length)
}

/** Evenly spread over 0 to 1, the same for the same number. */
function fraction(n: number): number {
  let x = Math.imul(n ^ 0x9e3779b9, 0x85ebca6b)
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35)
  return ((x ^ (x >>> 16)) >>> 0) / 2 ** 32
}
