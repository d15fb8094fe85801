import { expect, it } from 'vitest'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'
import { say, transcript } from '../../../src/testing/helpers.ts'

const context = async (store: SessionStore, branch?: string) =>
  transcript(store, 's', { view: 'context', ...(branch === undefined ? {} : { branch }) })
const summary = async (store: SessionStore, branch: string) =>
  (await store.read('s', { view: 'context', branch })).hidden?.summary

/** A store whose conversation of four turns has a summary of all but the last messages. */
async function summarised(keepLast: number): Promise<SessionStore> {
  const store = createSessionStore(createMemoryBackend())
  await say(store, 's', ['a', 'b', 'c', 'd'])
  await store.setCompaction('s', { summary: 'abcd', keepLast })
  return store
}

const leaveAfter = async (store: SessionStore, at: number): Promise<string> => {
  const { entries } = await store.read('s', { branch: '' })
  const { branch, order } = entries[at]!
  return (await store.openBranch('s', { after: { branch, order } })).id
}

it('does not tell a branch that leaves inside what was summarised of what never happened there', async () => {
  const store = await summarised(1)
  const branch = await leaveAfter(store, 1)
  expect([await context(store, branch), await summary(store, branch)]).toEqual([['a', 'b'], ''])
  expect([await context(store, ''), await summary(store, '')]).toEqual([['d'], 'abcd'])
})

it.each([0, 1])(
  'tells a branch that leaves behind it of all that was summarised, with the last %i messages kept',
  async (keepLast) => {
    const store = await summarised(keepLast)
    const branch = await leaveAfter(store, 3)
    expect([await context(store, branch), await summary(store, branch)]).toEqual([['d'].slice(0, keepLast), 'abcd'])
  },
)

it('hides what a summary hid when everything is summarised once more and nothing was left', async () => {
  const store = await summarised(0)
  await store.setCompaction('s', { summary: 'again', keepLast: 0 })
  expect([await context(store), await store.getSummary('s')]).toEqual([[], 'again'])
})
