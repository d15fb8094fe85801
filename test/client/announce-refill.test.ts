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

it.each([
  { lost: 0, rows: 3, told: 'mirror: 3 rows of collections.' },
  { lost: 2, rows: 1, told: 'mirror: 2 entries of 1 sessions and 1 rows of collections.' },
])('counts what was restored: $lost entries, $rows rows', ({ lost, rows, told }) => {
  const feed = createChangeFeed()
  const messages: string[] = []
  feed.subscribe((change) => void (change.type === 'notice' && messages.push(`${change.name} ${change.message}`)))
  const report = { refilled: ['k'], entries: lost, lost, copied: 0, blobs: 0, rows, left: [] }
  announceRefill(report, { name: 'some', feed }, true)
  expect(messages).toEqual([expect.stringContaining(told)])
  expect(messages[0]).toMatch(/^refilled /)
})
