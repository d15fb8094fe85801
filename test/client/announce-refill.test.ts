import { expect, it } from 'vitest'
import { createChangeFeed } from '../../src/client/session/change-feed.ts'
import { announceRefill, refillFromMirror } from '../../src/client/upkeep/refill-from-mirror.ts'

it.each([
  { isReplaced: false, told: 'degraded' },
  { isReplaced: true, told: 'dataLost' },
])(
  'tells $told where a database (replaced: $isReplaced) can not be held against its mirror',
  async ({ isReplaced, told }) => {
    const feed = createChangeFeed()
    const notices: string[] = []
    feed.subscribe((change) => void (change.type === 'notice' && notices.push(change.name)))
    const attempt = { name: 'some', timeoutMs: 100, feed }
    // The page has no worker that could do it.
    announceRefill(await refillFromMirror('in-page', attempt), attempt, isReplaced)
    expect(notices).toEqual([told])
  },
)
