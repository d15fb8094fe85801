import { expect, it } from 'vitest'
import { createChangeFeed } from '../../src/client/session/change-feed.ts'
import { watchSpace } from '../../src/client/upkeep/watch-space.ts'
import type { NoticeChange } from '../../src/contract/change.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'

/** An origin that fills up, as its store tells of it. */
function setUp() {
  const feed = createChangeFeed()
  const notices: NoticeChange[] = []
  feed.subscribe((change) => void (change.type === 'notice' && notices.push(change)))
  const origin = { usage: 0, time: 0, asked: 0, quota: 100 as number | undefined }
  const estimate = async (): Promise<StorageEstimate> => {
    origin.asked++
    return { usage: origin.usage, ...(origin.quota === undefined ? {} : { quota: origin.quota }) }
  }
  const store = createSessionStore(createMemoryBackend(), {})
  const watching = watchSpace({ store, feed, estimate, now: () => origin.time })
  /** So much is in use, and something is stored, later. */
  const fill = async (usage: number, laterMs = 60_000): Promise<void> => {
    Object.assign(origin, { usage, time: origin.time + laterMs })
    feed.emit({ type: 'session', key: 's', session: 1, version: 1, rows: [], reload: false })
    for (let i = 0; i < 5; i++) await new Promise((resolve) => setTimeout(resolve))
  }
  return { origin, notices, watching, fill }
}

it('tells once when a level is passed, and again when it is passed anew', async () => {
  const { watching, notices, fill } = setUp()
  await watching
  const counts: number[] = []
  for (const usage of [50, 81, 90, 79, 82, 96, 99, 60, 85]) {
    await fill(usage)
    counts.push(notices.length)
  }
  expect(counts).toEqual([0, 1, 1, 1, 1, 2, 2, 2, 3])
  expect(notices[0]).toMatchObject({
    name: 'spaceLow',
    space: { originBytes: 81, quotaBytes: 100, reclaimable: { deleted: { sessions: 0 } } },
  })
})

it('does not ask the browser for each write', async () => {
  const { watching, origin, fill } = setUp()
  await watching
  for (let i = 0; i < 100; i++) await fill(10, 100)
  expect(origin.asked).toBe(1)
  await fill(10, 30_000)
  expect(origin.asked).toBe(2)
})

it('says nothing where the browser does not', async () => {
  const { watching, origin, notices, fill } = setUp()
  origin.quota = undefined
  await watching
  await fill(1e9)
  expect(notices).toEqual([])
})
