import { expect, it } from 'vitest'
import type { SessionStore } from '../../../src/contract/store.ts'
import { countBrokenAccounts } from './run-accounts.ts'

// What the simulation can't see it does not prove: these are mistakes that it must find.
const runs = 24
const patience = 5_000

it('finds out who can not tell what was brought back from what was never deleted', async () => {
  const spoil = (store: SessionStore): SessionStore => ({ ...store, delete: (key, { kept: _, life: __, ...options } = {}) => store.delete(key, options) })
  expect(await countBrokenAccounts(runs, { spoil, patience, steps: 40 })).toBeGreaterThanOrEqual(runs / 2)
}, 120_000)

it('finds out whose purges name the key and not the life that was erased', async () => {
  const spoil = (store: SessionStore): SessionStore => ({ ...store, listPurges: async () => (await store.listPurges()).map(({ key, vector }) => ({ key, vector })) })
  // One account in six or so comes to where it shows: twice as many are run, so that chance decides nothing.
  expect(await countBrokenAccounts(2 * runs, { spoil, patience, steps: 40 })).toBeGreaterThanOrEqual(2)
}, 120_000)

it('finds out whose store lists for ever what was told, once all say that they are done', async () => {
  const spoil = (store: SessionStore): SessionStore => ({ ...store, forgetPurges: async () => undefined })
  expect(await countBrokenAccounts(8, { spoil })).toBeGreaterThanOrEqual(4)
}, 120_000)
