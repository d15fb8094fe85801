import { expect, it } from 'vitest'
import {
  type Ladder,
  type OpenedStore,
  type Opener,
  type OpeningAttempt,
  openLadder,
} from '../../src/client/opening/ladder.ts'
import { createChangeFeed } from '../../src/client/session/change-feed.ts'
import { SessionError } from '../../src/contract/errors.ts'

const conflict = new SessionError('VersionConflict', 'Newer code wrote it.')
const opens: Opener = async () => ({ store: {} as OpenedStore['store'] })
const fails =
  (error: Error): Opener =>
  async () =>
    Promise.reject(error)

function climbDown(ladder: Ladder) {
  const attempt: OpeningAttempt = {
    name: 'n',
    timeoutMs: 1000,
    feed: createChangeFeed(),
    mirror: false,
    encryption: undefined,
    owner: undefined,
  }
  return openLadder(ladder, ['worker', 'inline-worker', 'in-page', 'web-storage', 'memory'], attempt).finally(
    attempt.feed.close,
  )
}

it.each<[string, Ladder]>([
  ['by the worker', { worker: fails(conflict) }],
  ['by the inlined worker', { worker: fails(new Error('404')), 'inline-worker': fails(conflict) }],
  [
    'in the page',
    { worker: fails(new Error('404')), 'inline-worker': fails(new Error('blocked')), 'in-page': fails(conflict) },
  ],
])(
  'goes to no other place, which would hide the sessions, when it is found %s that newer code wrote them',
  async (_, ladder) => {
    await expect(
      climbDown({ 'inline-worker': opens, 'in-page': opens, 'web-storage': opens, memory: opens, ...ladder }),
    ).rejects.toBe(conflict)
  },
)
