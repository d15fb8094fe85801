import { expect, it } from 'vitest'
import { createLostMessages } from '../../../src/adapters/assistant-ui/lost-messages.ts'

it('finds an end where messages that were lost are said to follow themselves or each other', () => {
  const lost = createLostMessages()
  lost.add('a', 'a')
  lost.add('b', 'c')
  lost.add('c', 'b')
  expect(['a', 'b', 'c', 'd', null].map((id) => lost.nearest(id))).toEqual([null, null, null, 'd', null])
})
