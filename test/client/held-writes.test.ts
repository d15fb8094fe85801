import { afterEach, expect, it, vi } from 'vitest'
import { holdWrites } from '../../src/client/recovery/held-writes.ts'
import { createRecovery } from '../../src/client/recovery/recovery.ts'
import type { RecoveryLink } from '../../src/client/recovery/recovery-ways.ts'
import { createChangeFeed } from '../../src/client/session/change-feed.ts'
import { SessionError } from '../../src/contract/errors.ts'

afterEach(() => vi.useRealTimers())

it('looks for a lost database as soon as somebody asks for it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  let tries = 0
  const start = async (): Promise<never> => {
    tries++
    throw new SessionError('StorageUnavailable', 'Lost.')
  }
  const attempt = { name: 'some', timeoutMs: 100, feed: createChangeFeed(), mirror: false, owner: undefined }
  const link = {
    attempt,
    isLent: true,
    make: () => undefined,
    epoch: 'e',
    start,
    lose: () => undefined,
  } as unknown as RecoveryLink
  const recovery = createRecovery(
    link,
    () => Promise.resolve(),
    async () => false,
  )
  const { remote } = await recovery.start('It is lost.')
  expect(tries).toBe(1)
  // It looks by itself, and would again after twice as long.
  await vi.advanceTimersByTimeAsync(2000)
  await vi.advanceTimersByTimeAsync(2100)
  expect(tries).toBe(2)
  await expect(remote.getHistory('k')).rejects.toMatchObject({ name: 'StorageUnavailable' })
  expect(tries).toBe(3)
  // Not with each call: a reply that is streamed makes many.
  for (let i = 0; i < 10; i++) await remote.addMessage('k', 'user', `${i}`)
  expect(tries).toBe(3)
  await recovery.close()
})

/** A database that can't be reached, and a disk with or without room. */
function lose() {
  const disk = { isFull: false }
  const notices: string[] = []
  const feed = createChangeFeed()
  feed.subscribe((change) => void (change.type === 'notice' && notices.push(change.name)))
  const attempt = { name: 'some', timeoutMs: 100, feed, mirror: false, owner: undefined }
  const stored: unknown[] = []
  const answers: Error[] = []
  const database = { isThere: false }
  const start = async (): Promise<unknown> => {
    if (!database.isThere) throw new SessionError('StorageUnavailable', 'Lost.')
    return { end: () => undefined }
  }
  const addMessage = async (...args: readonly unknown[]): Promise<void> => {
    const refused = answers.shift()
    if (refused !== undefined) throw refused
    stored.push(args[2])
  }
  const link = {
    attempt,
    isLent: true,
    make: () => undefined,
    epoch: 'e',
    start,
    store: { addMessage },
    lose: () => undefined,
    connect: () => recovery.start(undefined),
  } as unknown as RecoveryLink
  const recovery = createRecovery(
    link,
    () => Promise.resolve(),
    async () => disk.isFull,
  )
  return { disk, database, stored, answers, notices, recovery }
}

it('refuses what it could only hold when there is no room, and stores what it held before', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const { disk, database, stored, recovery } = lose()
  const { remote } = await recovery.start('It is lost.')
  await remote.addMessage('k', 'user', 'held')
  disk.isFull = true
  await vi.advanceTimersByTimeAsync(2000)
  await expect(remote.addMessage('k', 'user', 'refused')).rejects.toMatchObject({ name: 'QuotaExceeded' })
  await expect(remote.getHistory('k')).rejects.toMatchObject({ name: 'StorageUnavailable' })
  expect(recovery.report()).toMatchObject({ held: 1 })
  database.isThere = true
  await vi.advanceTimersByTimeAsync(4100)
  expect(stored).toEqual(['held'])
  await recovery.close()
})

it('refuses from the first write on when the database was lost for want of room', async () => {
  const { disk, notices, recovery } = lose()
  disk.isFull = true
  const { remote } = await recovery.start('It is lost.')
  await expect(remote.append('k', [])).rejects.toMatchObject({
    name: 'QuotaExceeded',
    message: expect.stringContaining('free some space'),
  })
  expect(recovery.report()).toMatchObject({ held: 0 })
  expect(notices).toEqual(['degraded'])
  await recovery.close()
})

it('keeps what it held until there is room for it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const { database, answers, stored, notices, recovery } = lose()
  const { remote } = await recovery.start('It is lost.')
  await remote.addMessage('k', 'user', 'held')
  database.isThere = true
  // More often than what else fails is tried again.
  for (let i = 0; i < 5; i++) answers.push(new SessionError('QuotaExceeded', 'No room.'))
  await vi.advanceTimersByTimeAsync(20_000)
  expect({ stored, held: recovery.report()?.held, notices }).toEqual({ stored: [], held: 1, notices: ['degraded'] })
  await vi.advanceTimersByTimeAsync(100_000)
  expect({ stored, held: recovery.report()?.held, notices }).toEqual({
    stored: ['held'],
    held: 0,
    notices: ['degraded', 'recovered'],
  })
  await recovery.close()
})

it('says that it is lost when the store is closed before there is room', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const { database, answers, notices, recovery } = lose()
  const { remote } = await recovery.start('It is lost.')
  await remote.addMessage('k', 'user', 'held')
  database.isThere = true
  for (let i = 0; i < 5; i++) answers.push(new SessionError('QuotaExceeded', 'No room.'))
  await vi.advanceTimersByTimeAsync(3000)
  await recovery.close()
  await vi.advanceTimersByTimeAsync(0)
  expect(notices).toEqual(['degraded', 'dataLost'])
})

it('holds no more than fits into a page', async () => {
  const { connection, count } = holdWrites(
    'Lost.',
    () => false,
    () => undefined,
  )
  const remote = connection.remote
  const large = 'x'.repeat(4_000_000)
  for (let i = 0; i < 3; i++) await remote.addMessage('k', 'user', large)
  await expect(remote.addMessage('k', 'user', large)).rejects.toMatchObject({
    name: 'StorageUnavailable',
    message: expect.stringContaining('32 MB'),
  })
  const bytes = { role: 'user', content: '', data: new Uint8Array(10_000_000) }
  await expect(remote.addFullMessage('k', bytes as never)).rejects.toMatchObject({ name: 'StorageUnavailable' })
  // What is small still finds a place.
  await remote.addMessage('k', 'user', 'small')
  expect(count()).toBe(4)
})
