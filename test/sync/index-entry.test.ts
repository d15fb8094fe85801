import { expect, it } from 'vitest'
import type { SessionListing } from '../../src/contract/meta.ts'
import { carriedFields, readIndexValue } from '../../src/sync/index-entry.ts'

const full: Required<SessionListing> = {
  key: 's',
  title: 'title',
  titleSource: 'user',
  agentId: 'agent',
  userId: 'user',
  archived: true,
  tags: ['tag'],
  createdAt: 1,
  updatedAt: 2,
  messageCount: 3,
  tokenEstimate: 4,
  deletedAt: 5,
  kept: true,
  life: 6,
  promotedTo: 'other',
  ttl: 7,
}
const {
  titleSource: _,
  agentId: __,
  userId: ___,
  tags: ____,
  tokenEstimate: _____,
  kept: ______,
  ttl: _______,
  ...carried
} = full

it('tells other devices of a session what its list row says, but for what comes with the session', () => {
  expect(carriedFields(full)).toEqual(carried)
})

it('reads what another device told', () => {
  const told = { ...carriedFields(full), hash: 'aa', purged: { w: 1 } }
  expect(readIndexValue(told)).toEqual(told)
})

it.each(Object.keys(carried))('takes nothing of a value whose %s is of another type', (field) => {
  expect(readIndexValue({ ...carriedFields(full), hash: 'aa', [field]: {} })).toBeUndefined()
})

it('does not say of a session that it is not archived', () => {
  expect(carriedFields({ ...full, archived: false })).not.toHaveProperty('archived')
})
