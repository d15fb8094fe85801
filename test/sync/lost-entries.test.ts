import { expect, it, vi } from 'vitest'
import type { Entry } from '../../src/contract/entry.ts'
import type { Sync } from '../../src/sync/sync-contract.ts'
import { createHub, type Hub } from './hub.ts'
import { type Device, newDevice } from './synced-device.ts'

interface Connected {
  readonly device: Device
  readonly sync: Sync
  /** How often sync has read a log, so far. */
  reads(): number
}

/** A server that answers after a moment, as real ones do: where it answers at once, endless questions stop the clock. */
function createSlowHub(): Hub {
  const hub = createHub()
  hub.deliver = (send) => void setTimeout(send, 1)
  return hub
}

/** Three entries of a session, and a device on which one of them is lost. */
async function deviceWithout(lost: number): Promise<{ readonly device: Device; readonly entries: readonly Entry[] }> {
  const [writer, device] = [newDevice(), newDevice()]
  for (const text of ['one', 'two', 'three']) await writer.store.addMessage('k', 'user', text)
  const { entries } = await writer.store.changes('k')
  const left = entries.filter(({ s }) => s !== lost)
  await device.store.merge('k', left, { gapsAreLost: true })
  return { device, entries }
}

async function connect(device: Device, hub: Hub): Promise<Connected> {
  const changes = vi.spyOn(device.store, 'changes')
  const sync = await device.sync({ transport: hub.transport() })
  await sync.syncNow()
  return { device, sync, reads: () => changes.mock.calls.length }
}

/** All are in step, and none has read a log since a moment ago. */
async function expectRest(...all: readonly Connected[]): Promise<void> {
  let last = all.map(() => -1)
  await vi.waitFor(
    async () => {
      const before = last
      await new Promise((resolve) => setTimeout(resolve, 200))
      last = all.map(({ reads }) => reads())
      expect(last).toEqual(before)
      expect(all.map(({ sync }) => sync.status().state)).toEqual(all.map(() => 'synced'))
    },
    { timeout: 5000, interval: 5 },
  )
}

const textsOf = async ({ store }: Device): Promise<readonly unknown[]> =>
  (await store.getHistory('k')).map(({ content }) => content)

it('a log with a lost entry is not read again until it changes', async () => {
  await expectRest(await connect((await deviceWithout(1)).device, createSlowHub()))
})

it.each([0, 1])('two devices, one of which has lost entry %i of a session, come to rest', async (lost) => {
  const hub = createSlowHub()
  const one = await connect((await deviceWithout(lost)).device, hub)
  const two = await connect(newDevice(), hub)
  await expectRest(one, two)
  expect(await textsOf(two.device)).toEqual(['one'].slice(0, lost))
})

it('what is written after an entry was lost is sent', async () => {
  const hub = createSlowHub()
  const one = await connect((await deviceWithout(1)).device, hub)
  await expectRest(one)
  await one.device.store.addMessage('k', 'user', 'four')
  await one.sync.syncNow()
  const two = await connect(newDevice(), hub)
  await expectRest(one, two)
  expect(await textsOf(two.device)).toEqual(['one', 'four'])
})

it('a lost entry is taken from a device that has it, and what is behind it is sent then', async () => {
  const hub = createSlowHub()
  const { device, entries } = await deviceWithout(1)
  const one = await connect(device, hub)
  await expectRest(one)
  const middle = newDevice()
  await middle.store.merge('k', entries.slice(0, 2))
  const all = [one, await connect(middle, hub), await connect(newDevice(), hub)]
  await expectRest(...all)
  for (const each of all) expect(await textsOf(each.device)).toEqual(['one', 'two', 'three'])
})

it.each([
  [0, ['two', 'three', 'four']],
  [1, ['one', 'three', 'four']],
  [3, ['one', 'two', 'three']],
])('entry %i, which is damaged where it was written, is refused, and hides nothing else', async (damaged, left) => {
  const hub = createSlowHub()
  const [device, other] = [newDevice(), newDevice()]
  for (const text of ['one', 'two', 'three', 'four']) await device.store.addMessage('k', 'user', text)
  const { changes } = device.store
  vi.spyOn(device.store, 'changes').mockImplementation(async (...asked) => {
    const page = await changes(...asked)
    const spoilt = page.entries.map((entry) => (entry.s === damaged ? { ...entry, crc: (entry.crc ^ 1) >>> 0 } : entry))
    return { ...page, entries: spoilt }
  })
  const one = await connect(device, hub)
  const two = await connect(other, hub)
  await expectRest(one, two)
  expect(await textsOf(other)).toEqual(left)
  expect(two.sync.status().report.quarantined.map(({ id }) => id?.split('.')[1])).toContain(`${damaged}`)
  await other.store.addMessage('k', 'user', 'from the other')
  await vi.waitFor(async () => expect((await textsOf(device)).at(-1)).toBe('from the other'))
  await device.store.addMessage('k', 'user', 'five')
  await vi.waitFor(async () => expect((await textsOf(other)).slice(-2)).toEqual(['from the other', 'five']))
  await expectRest(one, two)
  expect(two.sync.status().report.quarantinedCount).toBe(1)
})
