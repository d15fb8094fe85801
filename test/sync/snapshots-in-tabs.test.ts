import { serialize } from 'node:v8'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { IndexEntry } from '../../src/sync/index-entry.ts'
import { newestFirst } from '../../src/sync/newest-first.ts'
import type { SyncReport } from '../../src/sync/status.ts'
import type { SyncStanding } from '../../src/sync/sync-standing.ts'
import {
  createSnapshotReceiver,
  createSnapshotSender,
  type SnapshotMessage,
} from '../../src/sync-client/snapshot-messages.ts'
import type { SyncChannelMessage } from '../../src/sync-client/sync-channel.ts'
import { openTab, withLocks } from './device-tab.ts'
import { createHub } from './hub.ts'

withLocks()
const soon = { timeout: 20_000, interval: 10 }
const count = 60

/** What the tabs of a device are told of snapshots, from now on. */
function listen(name: string): SnapshotMessage[] {
  const channel = new BroadcastChannel(`keepsession:${name}:sync`)
  const told: SnapshotMessage[] = []
  channel.onmessage = ({ data }: MessageEvent<SyncChannelMessage>) =>
    data.sync === 'snapshot' && told.push(data.content)
  onTestFinished(() => channel.close())
  return told
}

it('tells the tabs of a device what has changed, however many sessions there are', async () => {
  const hub = createHub()
  const one = await openTab(hub, 'many')
  for (let i = 0; i < count; i++) await one.client.store.addMessage(`s${i}`, 'user', `in ${i}`)
  await one.sync.syncNow()
  const two = await openTab(hub, 'many')
  await vi.waitFor(() => expect(two.sync.getSnapshot().sessions.length).toBe(count), soon)
  const { sessions } = two.sync.getSnapshot()
  const told = listen('many')
  await one.client.store.addMessage('s7', 'user', 'one more')
  await vi.waitFor(() => expect(two.sync.getSnapshot().sessions[0]).toMatchObject({ key: 's7', messageCount: 2 }), soon)
  const changes = told.flatMap((one) => ('change' in one ? [one.change] : []))
  expect(new Set(changes.flatMap(({ sessions: changed }) => changed.map(({ key }) => key)))).toEqual(new Set(['s7']))
  // A whole one has 8 kB.
  expect(Math.max(...changes.map((change) => serialize(change).length))).toBeLessThan(2000)
  expect(two.sync.getSnapshot()).toEqual({ ...one.sync.getSnapshot(), isLeader: false })
  // What did not change is the same object, so that lists need not be drawn again.
  expect(
    two.sync
      .getSnapshot()
      .sessions.filter((entry) => !sessions.includes(entry))
      .map(({ key }) => key),
  ).toEqual(['s7'])
  await one.client.purge('s8')
  await vi.waitFor(() => expect(two.sync.getSnapshot().sessions.length).toBe(count - 1), soon)
  await vi.waitFor(() => expect(two.sync.getSnapshot()).toEqual({ ...one.sync.getSnapshot(), isLeader: false }), soon)
})

describe('snapshots that are told', () => {
  const entry = (key: string, updatedAt: number): IndexEntry => ({
    key,
    title: key,
    createdAt: 1,
    updatedAt,
    messageCount: 1,
    hash: 'h',
    hp: updatedAt,
    hc: 0,
  })
  const report: SyncReport = {
    sent: 0,
    received: 0,
    merged: 0,
    purged: 0,
    quarantined: [],
    quarantinedCount: 0,
    blobs: { sent: 0, received: 0, missing: 0 },
    notices: [],
  }
  const standing = (
    sessions: readonly IndexEntry[],
    states: SyncStanding['states'] = {},
    given: Partial<SyncReport> = {},
  ): SyncStanding => ({
    status: { state: 'synced', pending: 0, progress: { done: 0, total: 0 }, report: { ...report, ...given } },
    sessions: newestFirst(sessions),
    states,
  })

  it('come to the same as whole ones', () => {
    const [a, b, c] = [entry('a', 3), entry('b', 2), entry('__proto__', 1)]
    const all = [
      standing([]),
      standing([a, b]),
      standing([a, b, c], { a: 'synced' }),
      standing([entry('b', 9), a, c], { a: 'synced', b: 'waiting' }, { sent: 2 }),
      standing([c], { b: 'synced' }, { sent: 2 }),
      standing([], {}),
    ]
    const [teller, hear] = [createSnapshotSender(), createSnapshotReceiver()]
    for (const one of all) expect(hear(structuredClone(teller.change(one)))).toEqual(one)
  })

  it('count for nothing where one before is missing, up to the next whole one', () => {
    const [teller, hear] = [createSnapshotSender(), createSnapshotReceiver()]
    const one = standing([entry('a', 1)])
    teller.change(one)
    expect(hear(teller.change(one))).toBeUndefined()
    expect(hear(teller.whole(one))).toEqual(one)
    teller.change(standing([]))
    expect(hear(teller.change(one))).toBeUndefined()
    expect(hear(teller.change(one))).toBeUndefined()
  })
})
