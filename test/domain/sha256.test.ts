import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { createSha256, withText } from '../../src/domain/sha256.ts'

it('continues a digest by texts of any length', () => {
  let state = createSha256().state()
  let all = ''
  for (let length = 0; length < 200; length++) {
    const text = 'abc.'.repeat(50).slice(0, length)
    all += text
    state = withText(state, text)
    expect(state).toEqual(createSha256(state).state())
    expect(createSha256(state).hex()).toBe(createHash('sha256').update(all).digest('hex'))
  }
})

it('leaves the state that it continues as it was', () => {
  const state = withText(createSha256().state(), 'a text')
  const before = { ...state }
  withText(state, ' and so many more words that a block of it is full and has to be hashed')
  expect(state).toEqual(before)
})
