import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { entryId, isBranchId, isWriterKey, parseEntryId, writerKey } from '../../src/domain/address.ts'

const numbers = fc.oneof(fc.nat(40), fc.maxSafeNat())

describe('an entry id', () => {
  it('is read back', () => {
    fc.assert(fc.property(numbers, numbers, (w, s) => void expect(parseEntryId(entryId(w, s))).toEqual({ w, s })))
  })

  it.each(['', '.', 'a', 'a.', '.a', 'A.0', '01.0', 'a.b.c', ' a.0', '-1.0', 'zzzzzzzzzzz.0', 'constructor.0'])(
    'is not %j',
    (text) => expect(parseEntryId(text)).toBe(undefined),
  )
})

describe('a key of rows', () => {
  it('is any writer, and main or any entry', () => {
    fc.assert(
      fc.property(numbers, numbers, (w, s) => isWriterKey(writerKey(w)) && isBranchId(entryId(w, s)) && isBranchId('')),
    )
  })

  it.each([...Object.getOwnPropertyNames(Object.prototype), 'A', '00', ' '])('is not %j', (text) =>
    expect([isWriterKey(text), isBranchId(text)]).toEqual([false, false]),
  )
})
