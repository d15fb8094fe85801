import { expect, it } from 'vitest'
import type { AllocationInput } from '../../../src/contract/message-identity.ts'
import { allocateSession } from '../../../src/domain/identity/allocate-session.ts'
import { goLower, goTrim } from '../../../src/domain/identity/go-text.ts'
import { opaqueKey } from '../../../src/domain/identity/session-key.ts'
import { allocations, opaqueKeys, texts } from './picoclaw-vectors.json'
import { lowerTable } from './support/lower-table.ts'

it('a browser has the case and white space of Go, with its own tables of characters', () => {
  expect([...lowerTable].filter(([capital, lower]) => goLower(capital) !== lower)).toEqual([])
  expect(texts.map(([text = '']) => [text, goLower(text), goTrim(text), opaqueKey(text)])).toEqual(texts)
})

it("a browser makes PicoClaw's keys", () => {
  expect(opaqueKeys.map(([text = '']) => [text, opaqueKey(text)])).toEqual(opaqueKeys)
  expect(allocations.map(({ input }) => allocateSession(input as AllocationInput).sessionKey)).toEqual(
    allocations.map(({ sessionKey }) => sessionKey),
  )
})
