import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { namedBlobs } from '../../src/domain/named-blobs.ts'

const hash = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
const named = (data: Parameters<typeof namedBlobs>[0]['data'], type = 'message'): string[] => [
  ...namedBlobs({ type, data }),
]

it('finds a hash in whatever field, list, name of a field or text it stands', () => {
  for (const data of [
    { blob: hash },
    { a: [{ b: `![](blob:${hash})` }] },
    { [hash]: 1 },
    { a: { [hash]: {} } },
    { text: `${'x'.repeat(1000)}\b${hash}\f` },
  ])
    expect(named(data)).toEqual([hash])
})

it('names a blob once, however often it is there', () => {
  expect(named({ a: `${hash} ${hash}`, b: hash })).toEqual([hash])
})

it('takes nothing longer, shorter or in capitals for a hash, nor the checksum of a checkpoint', () => {
  expect(
    named({ a: `${hash}0`, b: `a${hash}`, c: hash.slice(1), d: hash.toUpperCase(), e: 'a'.repeat(10_000) }),
  ).toEqual([])
  expect([named({ seen: { checksum: hash } }, 'checkpoint'), named({ seen: { checksum: hash } })]).toEqual([[], [hash]])
})

it('finds what a search of the whole text finds', () => {
  const piece = fc.oneof(fc.constantFrom(hash, hash.slice(0, 63), '0', ' ', 'g', 'deadbeef'), fc.string())
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const text = pieces.join('')
      expect(named({ text })).toEqual([
        ...new Set([...text.matchAll(/(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g)].map(([found]) => found)),
      ])
    }),
    { numRuns: 1000 },
  )
})
