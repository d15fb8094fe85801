import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createItemSplitter, type JsonItem } from '../../src/formats/json-items.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

function split(chunks: readonly Uint8Array[], limit?: number): JsonItem[] {
  const splitter = createItemSplitter(limit)
  return [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()]
}

const textsOf = (text: string): (string | undefined)[] => split([encode(text)]).map((item) => item.text)

describe('the elements of a JSON list', () => {
  it('are those that JSON.parse finds, however the bytes come in', () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue({ maxDepth: 4 }), { maxLength: 6 }),
        fc.constantFrom(undefined, 1, '\t'),
        fc.array(fc.nat(300), { maxLength: 8 }),
        (list, indent, cuts) => {
          const bytes = encode(JSON.stringify(list, undefined, indent))
          const at = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length]
          const items = split(at.slice(1).map((to, i) => bytes.subarray(at[i], to)))
          expect(items.map(({ text }) => JSON.parse(text!))).toEqual(JSON.parse(JSON.stringify(list)))
          for (const { offset, bytes: length, text } of items)
            expect(new TextDecoder().decode(bytes.subarray(offset, offset + length))).toBe(text)
        },
      ),
    )
  })

  it('may be none, and one object is an item by itself', () => {
    expect(textsOf(' [ ] ')).toEqual([])
    expect(textsOf('\ufeff {"a":[1,"]}"]}\n')).toEqual(['{"a":[1,"]}"]}'])
    expect(textsOf('{"a":1}\n{"b":2}')).toEqual(['{"a":1}', '{"b":2}'])
  })

  it.each([
    ['[{"a":1}', 'it ends too early at byte 8, after item 1'],
    ['[{"a":1},', 'it ends too early at byte 9'],
    ['[{"a":', 'in the middle of an item that begins at byte 1'],
    ['[{"a":"x', 'in the middle of an item that begins at byte 1'],
    ['[{"a":1} {"b":2}]', 'a comma is missing at byte 9'],
    ['[1,,2]', 'there is no value at byte 3'],
    ['[1,]', 'there is no value at byte 3'],
    ['[1]]', 'it continues after its end at byte 3'],
    ['[1}', 'a comma is missing at byte 2'],
    ['{"a":"x\ny"}', 'contains a line break, at byte 7'],
    ['<html>', 'there is no value at byte 0'],
    ['', 'it ends too early at byte 0'],
  ])('are refused where the text is no JSON (%j)', (text, reason) => {
    expect(() => textsOf(text)).toThrow(reason)
  })

  it('are not held when they are too long or too deep, and the next one is there', () => {
    const items = split([encode(`["${'x'.repeat(100)}",${'['.repeat(1001)}${']'.repeat(1001)},3]`)], 2100)
    expect(items.map(({ text }) => text?.length)).toEqual([102, undefined, 1])
    expect(split([encode(`["${'x'.repeat(100)}","y"]`)], 50).map(({ bytes, text }) => [bytes, text])).toEqual([
      [102, undefined],
      [3, '"y"'],
    ])
  })

  it('cost no memory however long they are', () => {
    const splitter = createItemSplitter()
    splitter.push(encode('["'))
    const piece = new Uint8Array(1024 * 1024).fill(0x78)
    const before = process.memoryUsage().arrayBuffers
    let most = 0
    for (let i = 0; i < 128; i++) {
      splitter.push(piece)
      most = Math.max(most, process.memoryUsage().arrayBuffers - before)
    }
    expect(splitter.push(encode('",1]'))[0]).toEqual({ number: 1, offset: 1, bytes: 128 * 1024 * 1024 + 2 })
    expect(most).toBeLessThan(70 * 1024 * 1024)
  })
})
