import { describe, expect, it } from 'vitest'
import { SessionError } from '../../src/contract/errors.ts'
import type { SyncKeys } from '../../src/sync/encryption/sync-keys.ts'
import type { SyncChannelMessage } from '../../src/sync-client/sync-channel.ts'
import { createTabCalls, type TabCalls } from '../../src/sync-client/tab-calls.ts'

const noKeys = (): Promise<never> => Promise.reject(new Error('These tests hand over no keys.'))
const lost = (): Promise<never> => Promise.reject(new SessionError('WorkerLost', 'It has ended.'))

/** Two tabs that hear each other; what both said is kept. */
function twoTabs(): { readonly leading: TabCalls; readonly other: TabCalls; readonly said: SyncChannelMessage[] } {
  const said: SyncChannelMessage[] = []
  const tabs: TabCalls[] = []
  const sayTo =
    (at: number) =>
    (message: SyncChannelMessage): void => {
      said.push(message)
      queueMicrotask(() => tabs[at]!.handle(message as never))
    }
  tabs.push(createTabCalls(sayTo(1), noKeys), createTabCalls(sayTo(0), noKeys))
  return { leading: tabs[0]!, other: tabs[1]!, said }
}

describe('what a tab asks of the one that leads', () => {
  it('is asked of the next engine when the one that was to do it has ended', async () => {
    const { leading, other } = twoTabs()
    leading.follow('first', lost)
    other.follow('first')
    const [there, here] = [other.ask(['syncNow']), leading.ask(['syncNow'])]
    await new Promise((resolve) => setTimeout(resolve))
    leading.follow('second', () => Promise.resolve('done'))
    other.follow('second')
    expect(await Promise.all([there, here])).toEqual(['done', 'done'])
  })

  it('is given up when it has outlived three', async () => {
    const { leading } = twoTabs()
    leading.follow('0', lost)
    const asked = leading.ask(['plan'])
    for (const engine of ['1', '2', '3']) leading.follow(engine, lost)
    await expect(asked).rejects.toMatchObject({
      name: 'WorkerLost',
      message: expect.stringContaining('try again') as string,
    })
  })

  it('is not done a second time where it changes keys', async () => {
    const { leading } = twoTabs()
    let runs = 0
    const run = (): Promise<never> => (runs++, lost())
    leading.follow('first', run)
    const asked = leading.ask(['changeKeys', {} as SyncKeys, undefined])
    leading.follow('second', run)
    await expect(asked).rejects.toMatchObject({
      name: 'WorkerLost',
      message: expect.stringContaining('from') as string,
    })
    expect(runs).toBe(1)
  })

  it('is told when its tab closes', async () => {
    const { other } = twoTabs()
    const asked = other.ask(['resume'])
    other.close(new SessionError('StorageClosed', 'closed'))
    await expect(asked).rejects.toMatchObject({ name: 'StorageClosed' })
  })
})
