import { afterEach, expect, it, vi } from 'vitest'
import { createChangeFeed } from '../../src/client/change-feed.ts'
import { createRecovery, type RecoveryLink } from '../../src/client/recovery.ts'
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
  const link = { attempt, isLent: true, make: () => undefined, epoch: 'e', start, lose: () => undefined } as unknown as RecoveryLink
  const recovery = createRecovery(link, () => Promise.resolve())
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
