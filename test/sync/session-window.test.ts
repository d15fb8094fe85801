import { expect, it } from 'vitest'
import type { SessionLink } from '../../src/sync/session-link.ts'
import { createSessionWindow } from '../../src/sync/session-window.ts'
import type { WindowEvents } from '../../src/sync/session-window-options.ts'

/** Until what was set off has gone through: nothing here takes time. */
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))

it('an exchange is not over because what was noted of the one before it is', async () => {
  const noted: ((isSettled: boolean) => void)[] = []
  let events!: WindowEvents
  const link = {
    publish: async () => 0,
    recheck: async () => undefined,
    document: { vector: () => ({ a: 1 }) },
    close: async () => undefined,
  } as unknown as SessionLink
  const window = createSessionWindow({
    size: 4,
    isSmall: () => false,
    liveMs: 1000,
    now: Date.now,
    isKept: () => false,
    onTrouble: () => undefined,
    onChange: () => undefined,
    open: async (_, its) => {
      events = its
      return link
    },
    onSynced: () => new Promise((resolve) => noted.push(resolve)),
  })
  const stands = async (): Promise<unknown> => {
    await settle()
    return [window.pending(), window.state('s')]
  }
  window.start()
  window.add(['s'])
  await settle()
  events.onSynced({})
  events.onSynced({})
  noted.shift()!(true)
  expect(await stands()).toEqual([0, 'synced'])
  // It changed: it is exchanged once more, which nobody has answered yet.
  window.add(['s'])
  expect(await stands()).toEqual([1, 'syncing'])
  noted.shift()!(true)
  expect(await stands()).toEqual([1, 'syncing'])
  events.onSynced({})
  noted.shift()!(true)
  expect(await stands()).toEqual([0, 'synced'])
})

it('sends what was written since, and settles with what can not be sent', async () => {
  const asked: boolean[] = []
  let events!: WindowEvents
  let rechecks = 0
  const link = {
    recheck: async () => void (rechecks += 1),
    document: { vector: () => ({ a: 2 }) },
    close: async () => undefined,
  } as unknown as SessionLink
  const window = createSessionWindow({
    size: 4,
    isSmall: () => false,
    liveMs: 1000,
    now: Date.now,
    isKept: () => false,
    onTrouble: () => undefined,
    onChange: () => undefined,
    open: async (_, its) => {
      events = its
      return link
    },
    onSynced: async (_, __, isMost) => {
      asked.push(isMost)
      return isMost
    },
  })
  window.start()
  window.add(['s'])
  await settle()
  events.onSynced({ a: 1 })
  await settle()
  expect([asked, rechecks, window.pending(), window.state('s')]).toEqual([[false], 1, 1, 'syncing'])
  events.onSynced({ a: 2 })
  await settle()
  expect([asked, rechecks, window.pending(), window.state('s')]).toEqual([[false, false, true], 2, 0, 'synced'])
})

it('exchanges three small sessions in the place of another one, and keeps no more than its size connected', async () => {
  const open = new Map<string, WindowEvents>()
  const window = createSessionWindow({
    size: 2,
    isSmall: (key) => key.startsWith('small'),
    liveMs: 1000,
    now: Date.now,
    isKept: () => false,
    onTrouble: () => undefined,
    onChange: () => undefined,
    open: async (key, events) => {
      open.set(key, events)
      return { close: async () => void open.delete(key) } as unknown as SessionLink
    },
    onSynced: async () => true,
  })
  window.start()
  window.add(['large 1', 'small 1', 'small 2', 'small 3', 'small 4', 'large 2'])
  await settle()
  expect([...open.keys()]).toEqual(['large 1', 'small 1', 'small 2', 'small 3'])
  open.get('small 1')!.onSynced({})
  open.get('small 2')!.onSynced({})
  await settle()
  expect([...open.keys()]).toContain('small 4')
  while (window.pending() > 0) {
    for (const events of [...open.values()]) events.onSynced({})
    await settle()
  }
  expect(open.size).toBe(2)
})

it('a session that someone looks at keeps its place while another one can be closed', async () => {
  const open = new Map<string, WindowEvents>()
  let clock = 0
  const window = createSessionWindow({
    size: 2,
    isSmall: () => false,
    liveMs: 1000,
    now: () => ++clock,
    isKept: (key) => key.startsWith('seen'),
    onTrouble: () => undefined,
    onChange: () => undefined,
    open: async (key, events) => {
      open.set(key, events)
      return { close: async () => void open.delete(key) } as unknown as SessionLink
    },
    onSynced: async () => true,
  })
  const exchange = async (key: string): Promise<readonly string[]> => {
    window.add([key])
    await settle()
    open.get(key)!.onSynced({})
    await settle()
    return [...open.keys()]
  }
  window.start()
  expect(await exchange('seen 1')).toEqual(['seen 1'])
  expect(await exchange('other 1')).toEqual(['seen 1', 'other 1'])
  expect(await exchange('other 2')).toEqual(['seen 1', 'other 2'])
  expect(await exchange('seen 2')).toEqual(['seen 1', 'seen 2'])
  // All are looked at: the one that has not changed for the longest time gives way.
  expect(await exchange('seen 3')).toEqual(['seen 2', 'seen 3'])
})
