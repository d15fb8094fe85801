import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { automaticTitle, messageText, titleFromText } from '../../src/domain/title.ts'

describe('titleFromText', () => {
  it.each<[string, string, string]>([
    ['keeps a short text', 'Hello', 'Hello'],
    ['keeps 30 characters', '1234567890'.repeat(3), '1234567890'.repeat(3)],
    ['cuts the 31st', `${'1234567890'.repeat(3)}1`, `${'1234567890'.repeat(3)}…`],
    ['counts code points, not code units', '🎉'.repeat(31), `${'🎉'.repeat(30)}…`],
    ['counts Chinese characters as one each', '请'.repeat(31), `${'请'.repeat(30)}…`],
    ['folds white space', '  a \n\n\t b\u3000\u00a0c  ', 'a b c'],
    ['does not cut for white space at the end', `${'x'.repeat(30)} \n `, 'x'.repeat(30)],
    ['leaves no space before the ellipsis', `${'x'.repeat(29)} yz`, `${'x'.repeat(29)}…`],
    ['counts a folded space once', `${'x'.repeat(28)} \n y`, `${'x'.repeat(28)} y`],
    ['counts every folded space', 'ab '.repeat(20), `${'ab '.repeat(9)}ab…`],
    ['is empty for white space', ' \n\t', ''],
    ['is empty for nothing', '', ''],
  ])('%s', (_, text, title) => {
    expect(titleFromText(text)).toBe(title)
  })

  it('is the folded text, cut after 30 code points', () => {
    const spaced = fc.string({
      unit: fc.oneof(
        { weight: 3, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }) },
        { weight: 1, arbitrary: fc.constantFrom(' ', '\n', '\u3000') },
      ),
      maxLength: 80,
      size: 'max',
    })
    fc.assert(
      fc.property(spaced, (text) => {
        const folded = text.replace(/\s+/g, ' ').trim()
        const points = [...folded]
        expect(titleFromText(text)).toBe(points.length > 30 ? `${points.slice(0, 30).join('').trimEnd()}…` : folded)
      }),
    )
  })

  it('reads no further than the title', () => {
    function* characters(): Generator<string> {
      for (let i = 0; i < 31; i++) yield 'x'
      throw new Error('read on')
    }
    const text = { [Symbol.iterator]: characters } as unknown as string
    expect(titleFromText(text)).toBe(`${'x'.repeat(30)}…`)
  })
})

describe('messageText', () => {
  it.each<[string, unknown, string]>([
    ['a string', 'hi', 'hi'],
    [
      'text parts, one a line',
      [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
      'a\nb',
    ],
    ['parts that are strings', ['a', { type: 'text', text: 'b' }], 'a\nb'],
    [
      'only the text among other parts',
      [
        { type: 'thinking', thinking: 'hm', text: 'no' },
        { type: 'text', text: 'a' },
        { type: 'image' },
        { type: 'text', text: '' },
      ],
      'a',
    ],
    ['nothing of odd shapes', [null, 1, [], { type: 'text', text: 1 }, { text: 'a' }], ''],
    ['nothing of null', null, ''],
    ['nothing of undefined', undefined, ''],
    ['nothing of an object', { type: 'text', text: 'a' }, ''],
  ])('reads %s', (_, content, text) => {
    expect(messageText(content)).toBe(text)
  })
})

describe('automaticTitle', () => {
  it.each<[string, { content?: unknown; parts?: unknown }, string]>([
    ['of a text', { content: ' Hello,\nworld ' }, 'Hello, world'],
    ['of parts', { content: [{ type: 'image' }, { type: 'text', text: 'Look' }] }, 'Look'],
    ['of a UI message', { parts: [{ type: 'step-start' }, { type: 'text', text: 'Look' }] }, 'Look'],
    ['of a message without text is empty', { content: [{ type: 'image' }] }, ''],
    ['of a message without content is empty', {}, ''],
  ])('%s', (_, message, title) => {
    expect(automaticTitle(message)).toBe(title)
  })
})
