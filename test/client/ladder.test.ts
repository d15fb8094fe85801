import { expect, it } from 'vitest'
import { createChangeFeed } from '../../src/client/change-feed.ts'
import { type Ladder, openLadder, type Opener, type OpenedStore, type OpeningAttempt } from '../../src/client/ladder.ts'
import type { StoreMode } from '../../src/client/types.ts'
import { SessionError } from '../../src/contract/errors.ts'

const conflict = new SessionError('VersionConflict', 'Newer code wrote it.')
const opens: Opener = async () => ({ store: {} as OpenedStore['store'] })
const fails = (error: Error): Opener => async () => Promise.reject(error)

function climbDown(ladder: Ladder, modes: readonly StoreMode[] = ['worker', 'inline-worker', 'in-page', 'web-storage', 'memory']) {
  const attempt: OpeningAttempt = { name: 'n', timeoutMs: 1000, feed: createChangeFeed(), mirror: false, encryption: undefined, owner: undefined }
  return openLadder(ladder, modes, attempt).finally(attempt.feed.close)
}

it('takes the worker that the page has inlined when the file of the worker is too old for what is stored', async () => {
  expect(await climbDown({ worker: fails(conflict), 'inline-worker': opens, memory: opens })).toMatchObject({ mode: 'inline-worker', skipped: [{ mode: 'worker', reason: 'Newer code wrote it.' }] })
})

it.each<[string, Opener | undefined]>([
  ['is as old', fails(conflict)],
  ['can’t be had', fails(new SessionError('StorageUnavailable', 'Blocked.'))],
  ['is not offered', undefined],
])('hides no newer data elsewhere: the inlined worker %s', async (_, inline) => {
  await expect(climbDown({ worker: fails(conflict), ...(inline === undefined ? {} : { 'inline-worker': inline }), 'in-page': opens, 'web-storage': opens, memory: opens })).rejects.toBe(conflict)
  await expect(climbDown({ worker: fails(conflict), memory: opens }, ['worker', 'memory'])).rejects.toBe(conflict)
})

it('asks no further where the page itself is too old', async () => {
  const further: string[] = []
  const asked = (mode: string): Opener => (attempt) => (further.push(mode), opens(attempt))
  await expect(climbDown({ worker: fails(new Error('404')), 'inline-worker': fails(conflict), 'in-page': asked('in-page'), memory: asked('memory') })).rejects.toBe(conflict)
  expect(further).toEqual([])
})
