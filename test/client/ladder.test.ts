import { expect, it } from 'vitest'
import type { StoreMode } from '../../src/client/open-options.ts'
import { type OpenedStore, type Opener, type OpeningAttempt, openLadder } from '../../src/client/opening/ladder.ts'
import { openStore } from '../../src/client/opening/open-store.ts'
import { createChangeFeed } from '../../src/client/session/change-feed.ts'
import type { LaterParts } from '../../src/client/session/session-client.ts'
import { SessionError } from '../../src/contract/errors.ts'

type Openers = Partial<Record<StoreMode, Opener>>

const conflict = new SessionError('VersionConflict', 'Newer code wrote it.')
const opens: Opener = async () => ({ store: {} as OpenedStore['store'] })
const fails =
  (error: Error): Opener =>
  async () =>
    Promise.reject(error)

const attemptOf = (): OpeningAttempt => ({
  name: 'n',
  timeoutMs: 1000,
  feed: createChangeFeed(),
  mirror: false,
  encryption: undefined,
  owner: undefined,
})

function climbDown(openers: Openers) {
  const attempt = attemptOf()
  return openLadder(
    (mode) => openers[mode],
    ['worker', 'inline-worker', 'in-page', 'web-storage', 'memory'],
    attempt,
  ).finally(attempt.feed.close)
}

it.each<[string, Openers]>([
  ['by the worker', { worker: fails(conflict) }],
  ['by the inlined worker', { worker: fails(new Error('404')), 'inline-worker': fails(conflict) }],
  [
    'in the page',
    { worker: fails(new Error('404')), 'inline-worker': fails(new Error('blocked')), 'in-page': fails(conflict) },
  ],
])(
  'goes to no other place, which would hide the sessions, when it is found %s that newer code wrote them',
  async (_, openers) => {
    await expect(
      climbDown({ 'inline-worker': opens, 'in-page': opens, 'web-storage': opens, memory: opens, ...openers }),
    ).rejects.toBe(conflict)
  },
)

it('gives the code of a mode the time that it takes to load, and its database the limit', async () => {
  const attempt = { ...attemptOf(), timeoutMs: 1 }
  const slow = <Result>(result: Result): Promise<Result> =>
    new Promise((resolve) => setTimeout(() => resolve(result), 100))
  const opened = await openLadder(() => slow(opens), ['in-page'], attempt)
  expect(opened).toMatchObject({ mode: 'in-page', skipped: [] })
  const closes = { close: async () => undefined } as OpenedStore['store']
  await expect(openLadder(() => () => slow({ store: closes }), ['in-page'], attempt)).rejects.toMatchObject({
    name: 'StorageUnavailable',
    message: expect.stringContaining('It did not open within 1 ms'),
  })
  attempt.feed.close()
})

it('waits longer for the only mode than for one of several, and as long as it is told to', async () => {
  const limits = async (modes: readonly StoreMode[], timeoutMs?: number): Promise<readonly number[]> => {
    const found: number[] = []
    const opener: Opener = (attempt) => {
      found.push(attempt.timeoutMs)
      return Promise.reject(new Error('not here'))
    }
    const parts = { load: () => Promise.reject(new Error('not needed')) } as Partial<LaterParts> as LaterParts
    const opening = openStore(timeoutMs === undefined ? {} : { timeoutMs }, modes, () => opener, parts)
    await expect(opening).rejects.toMatchObject({ name: 'StorageUnavailable' })
    return found
  }
  expect(await limits(['worker', 'in-page'])).toEqual([4000, 4000])
  expect(await limits(['worker'])).toEqual([20_000])
  expect(await limits(['worker'], 100)).toEqual([100])
})
