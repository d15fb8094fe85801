import { expect, it, vi } from 'vitest'
import { createChangeFeed } from '../../src/client/session/change-feed.ts'
import { keepMirrorLater } from '../../src/client/upkeep/refill-from-mirror.ts'
import { createBrowser } from './leadership/support/open-tab.ts'
import { createProfile } from './support/open-port-client.ts'

const hello = [{ type: 'message', message: { role: 'user', content: 'Hello' } }] as const

it('does the work of a leader in one of two clients, and in the other one once that is closed', async () => {
  const profile = createProfile()
  const [one, other] = [await profile.open({ name: 'lead' }), await profile.open({ name: 'lead' })]
  const told: string[] = []
  const work =
    (name: string) =>
    async (term: number, signal: AbortSignal): Promise<void> => {
      told.push(name)
      await (name === 'one' ? one : other).store.append('log', hello, { term })
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
    }
  const first = one.lead(work('one')).catch((error: unknown) => error)
  await expect.poll(async () => (await one.store.getMeta('log'))?.messageCount).toBe(1)
  const second = other.lead(work('other')).catch((error: unknown) => error)
  const following = other.leadership()
  expect(await following.ready()).toEqual({ isLeader: false, term: 0 })
  await one.close()
  expect(await first).toMatchObject({ name: 'StorageClosed' })
  await expect.poll(() => told).toEqual(['one', 'other'])
  const state = following.getSnapshot()!
  expect(state.isLeader).toBe(true)
  await other.store.append('log', hello, { term: state.term })
  await expect(other.store.append('log', hello, { term: state.term - 1 })).rejects.toMatchObject({ name: 'NotLeader' })
  await other.close()
  expect(await second).toMatchObject({ name: 'StorageClosed' })
  await expect(other.lead(() => 1)).rejects.toMatchObject({ name: 'StorageClosed' })
})

it('holds a database against its mirror in the tab that leads, and in the next one once that is gone', async () => {
  const browser = createBrowser({ locks: true, channel: true })
  const tabs = ['first', 'second'].map((name) => ({ name, client: browser.open() }))
  const told: string[] = []
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  for (const { name, client } of tabs) {
    const feed = createChangeFeed()
    // There is no worker that could do it, which is what the check says then.
    feed.subscribe((change) => void (change.type === 'notice' && told.push(`${name}: ${change.name}`)))
    keepMirrorLater(
      'in-page',
      { name: 'some', timeoutMs: 100, feed, mirror: true, owner: undefined, encryption: undefined },
      client,
    )
  }
  vi.advanceTimersByTime(5000)
  vi.useRealTimers()
  await expect.poll(() => told).toEqual(['first: degraded'])
  await tabs[0]!.client.close()
  await expect.poll(() => told).toEqual(['first: degraded', 'second: degraded'])
  await browser.close()
})
