import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decodeValues, encodeValues } from '../../src/adapters/encode-values.ts'

const key = fc.oneof(fc.constantFrom('$date', '$$date', '$bytes', '$$$bytes', '$dates', 'date'), fc.string())
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, 0, -1.5, '', 'x', new Date(0), new Date(Number.NaN)),
    fc.string(),
    fc.date(),
    fc.uint8Array(),
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(key, tie('tree'), { maxKeys: 4, noNullPrototype: true }),
  ),
}))

it('gives Dates and bytes back as they were, through JSON', () => {
  fc.assert(
    fc.property(tree, (value) => {
      fc.pre(!JSON.stringify(value)?.includes('__proto__'))
      expect(decodeValues(JSON.parse(JSON.stringify(encodeValues(value))))).toEqual(value)
    }),
    { numRuns: 1000 },
  )
})

it('gives bytes back that are more than a call takes as arguments', () => {
  const bytes = Uint8Array.from({ length: 20_000 }, (_, i) => i % 251)
  expect(decodeValues(encodeValues({ bytes }))).toEqual({ bytes })
})

it('leaves what can not be stored to the store, which names it', () => {
  const value = { call: () => 1, big: 1n, map: new Map() }
  expect(encodeValues(value)).toEqual(value)
})

it('leaves JSON of others as it is that has the key of bytes', () => {
  const value = { list: [{ $bytes: 'not base64' }] }
  expect(decodeValues(value)).toEqual(value)
})
