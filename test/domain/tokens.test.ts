import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { estimateTokens } from '../../src/domain/tokens.ts'

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

describe('estimateTokens', () => {
  it.each<[string, { content?: unknown; parts?: unknown }, number]>([
    ['an empty text, by its quotes', { content: '' }, 0],
    ['two quotes and two letters', { content: 'ab' }, 1],
    ['a Chinese character, 0.75', { content: '中'.repeat(40) }, 30],
    ['an escape, by the two characters JSON writes', { content: '\n'.repeat(5) }, 3],
    ['an emoji, by its four bytes', { content: '🎉🎉' }, 2],
    ['parts, with their structure', { content: [{ type: 'text', text: 'hi' }] }, 7],
    ['null, as JSON writes it', { content: null }, 1],
    ['the parts of a UI message', { parts: [{ type: 'text', text: 'hi' }] }, 7],
    ['content before parts', { content: '', parts: [{ type: 'text', text: 'hi' }] }, 0],
    ['nothing', {}, 0],
  ])('counts %s', (_, message, tokens) => {
    expect(estimateTokens(message)).toBe(tokens)
  })

  it('counts no other field', () => {
    const message = {
      role: 'assistant',
      content: 'hello',
      tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{}' } }],
    }
    expect(estimateTokens(message)).toBe(estimateTokens({ content: 'hello' }))
  })

  it('is a quarter of the bytes of the JSON text of any content, rounded down', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.jsonValue({ stringUnit: 'binary' })), (content) => {
        expect(estimateTokens({ content })).toBe(Math.floor(bytesOf(JSON.stringify(content)) / 4))
      }),
    )
  })
})
