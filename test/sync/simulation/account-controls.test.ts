import { expect, it } from 'vitest'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { findBrokenAccounts } from './run-accounts.ts'

// What the simulation can't see it does not prove: these are mistakes that it must find.
const patience = 5_000

it('finds out who can not tell what was brought back from what was never deleted', async () => {
  const spoil = (store: SessionStore): SessionStore => ({
    ...store,
    delete: (key, { kept: _, life: __, ...options } = {}) => store.delete(key, options),
  })
  expect(await findBrokenAccounts(12, 24, { spoil, patience, steps: 40 })).toBeGreaterThanOrEqual(12)
}, 120_000)

it('finds out whose purges name the key and not the life that was erased', async () => {
  const spoil = (store: SessionStore): SessionStore => ({
    ...store,
    listPurges: async () => (await store.listPurges()).map(({ key, vector }) => ({ key, vector })),
  })
  // One account in ten or so comes to where it shows: so many may be run that chance decides nothing.
  expect(await findBrokenAccounts(2, 240, { spoil, patience, steps: 40 })).toBeGreaterThanOrEqual(2)
}, 120_000)

it('finds out whose store lists for ever what was told, once all say that they are done', async () => {
  const spoil = (store: SessionStore): SessionStore => ({ ...store, forgetPurges: async () => undefined })
  expect(await findBrokenAccounts(4, 8, { spoil })).toBeGreaterThanOrEqual(4)
}, 120_000)
