import { describe, expect, it } from 'vitest'
import type { Message } from '../../src/contract/message.ts'
import { isTransientThought } from '../../src/domain/transient.ts'

const thought: Message = { role: 'assistant', content: ' \n', reasoning_content: 'hm' }

describe('isTransientThought', () => {
  it.each<[string, Message]>([
    ['reasoning with blank content', thought],
    ['content that is blank in Go', { ...thought, content: '\u0085\u00a0' }],
    ['reasoning without content', { role: 'assistant', reasoning_content: 'hm' }],
    ['reasoning with null content', { ...thought, content: null }],
    ['reasoning with no parts', { ...thought, content: [] }],
    ['reasoning with blank parts', { ...thought, content: [' ', { type: 'text', text: '\t' }] }],
    ['empty lists beside it', { ...thought, tool_calls: [], media: [], attachments: [], tool_call_id: '' }],
    ['nulls beside it', { ...thought, tool_calls: null, tool_call_id: null }],
  ])('is %s', (_, message) => expect(isTransientThought(message)).toBe(true))

  it.each<[string, Message]>([
    ['content', { ...thought, content: 'well' }],
    ['content that is blank in JavaScript only', { ...thought, content: '\ufeff' }],
    ['a part that is no text', { ...thought, content: [{ type: 'image' }] }],
    ['a text part', { ...thought, content: [{ type: 'text', text: 'well' }] }],
    ['another role', { ...thought, role: 'user' }],
    ['blank reasoning', { ...thought, reasoning_content: ' ' }],
    ['no reasoning', { role: 'assistant', content: '' }],
    ['calls', { ...thought, tool_calls: [{ id: 'c' }] }],
    ['media', { ...thought, media: ['x'] }],
    ['attachments', { ...thought, attachments: ['x'] }],
    ['a call id', { ...thought, tool_call_id: 'c' }],
    ['parts of a UI message', { ...thought, parts: [{ type: 'text', text: 'well' }] }],
  ])('is nothing with %s', (_, message) => expect(isTransientThought(message)).toBe(false))
})
