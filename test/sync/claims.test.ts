import { describe, expect, it, vi } from 'vitest'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { sha256 } from '../../src/domain/sha256.ts'
import type { SyncTransport } from '../../src/sync/link.ts'
import { createHub, type Hub } from './hub.ts'
import { type Device, newDevice } from './synced-device.ts'

const soon = { timeout: 20_000, interval: 5 }
const attachment = 'a large picture'
/** For what must not happen: a slow machine may miss it, and never sees it where it does not happen. */
const aWhile = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 100))

/** What can be shut: who passes waits until it is open, or fails with what it was opened with. */
function createDoor() {
  let isShut = false
  const waiting: ((error: Error | undefined) => void)[] = []
  return {
    waiting: () => waiting.length,
    shut: () => void (isShut = true),
    open: (error?: Error) => {
      isShut = false
      for (const go of waiting.splice(0)) go(error)
    },
    pass: async () => {
      if (!isShut) return
      const error = await new Promise<Error | undefined>((resolve) => waiting.push(resolve))
      if (error !== undefined) throw error
    },
  }
}

/** What the server has of the only session. */
function onServer(hub: Hub, name: string): string {
  const doc = hub.document(name)
  return JSON.stringify([...doc.share.keys()].map((root) => doc.getArray(root).toArray()))
}

/**
 * A device that has said "one" and "two", and "three" that waits behind a door while the answer to "two" is on its way,
 * and then comes.
 */
async function sayBehind(what: 'flush' | 'attachment', a: Device, hub: Hub) {
  const door = createDoor()
  const transport = hub.transport()
  let name = ''
  const noting: SyncTransport = {
    ...transport,
    open: (link) => {
      if (link.name !== 'me/index') name = link.name
      return transport.open(link)
    },
    blobs: {
      hasBlob: async () => false,
      getBlob: async () => undefined,
      putBlob: async () => (what === 'attachment' ? door.pass() : undefined),
    },
  }
  const flush: SessionStore['flush'] = async () => {
    if (what === 'flush') await door.pass()
    return a.store.flush()
  }
  await a.store.addMessage('s', 'user', 'one')
  await a.store.putBlob(new Blob([attachment]))
  const sync = await a.sync({ transport: noting, store: { ...a.store, flush } })
  await sync.syncNow()
  await vi.waitFor(() => expect(sync.status().state).toBe('synced'), soon)
  const held: (() => void)[] = []
  hub.deliver = (send) => void held.push(send)
  await a.store.addMessage('s', 'user', 'two')
  await vi.waitFor(() => expect([onServer(hub, name).includes('two'), held.length > 0]).toEqual([true, true]), soon)
  door.shut()
  await a.store.addMessage('s', 'user', `three blob:${sha256([attachment])}`)
  await vi.waitFor(() => expect(door.waiting()).toBeGreaterThan(0), soon)
  const claims: string[] = []
  sync.subscribe(() => {
    if (!onServer(hub, name).includes('three') && (sync.status().state === 'synced' || sync.session('s') === 'synced'))
      claims.push(`${sync.status().state} ${sync.session('s')}`)
  })
  hub.deliver = (send) => queueMicrotask(send)
  held.forEach((send) => queueMicrotask(send))
  await aWhile()
  return { sync, door, claims, isSent: () => onServer(hub, name).includes('three') }
}

describe('what is written while the exchange before it ends', () => {
  it.each(['flush', 'attachment'] as const)(
    'is not claimed to be sent before it is, where it waits for the %s',
    async (what) => {
      const { sync, door, claims, isSent } = await sayBehind(what, newDevice(), createHub())
      expect([claims, isSent(), sync.status().state, (await sync.unsent()).sessions]).toEqual([
        [],
        false,
        'syncing',
        ['s'],
      ])
      door.open()
      await vi.waitFor(
        () => expect([sync.status().state, sync.session('s'), isSent()]).toEqual(['synced', 'synced', true]),
        soon,
      )
      expect([claims, (await sync.unsent()).sessions]).toEqual([[], []])
    },
  )

  it('is sent at the next start, where that came before it went out', async () => {
    const [a, hub] = [newDevice(), createHub()]
    const { sync, door, isSent } = await sayBehind('flush', a, hub)
    hub.down()
    const closed = sync.close()
    door.open(new Error('the tab was killed'))
    await closed
    hub.up()
    expect(isSent()).toBe(false)
    const again = await a.sync({ transport: hub.transport() })
    expect([(await again.syncNow()).state, isSent()]).toEqual(['synced', true])
  })

  it('is tried again, where it could not be made safe', async () => {
    const { sync, door, claims, isSent } = await sayBehind('flush', newDevice(), createHub())
    door.open(new Error('the disk is full'))
    await vi.waitFor(
      () => expect([sync.status().state, sync.session('s'), isSent()]).toEqual(['synced', 'synced', true]),
      soon,
    )
    expect(claims).toEqual([])
  })
})

it('what is begun anew while the server lets go of what was purged is sent', async () => {
  const hub = createHub()
  const [a, b] = [newDevice(), newDevice()]
  await a.store.addMessage('s', 'user', 'secret')
  const transport = hub.transport()
  let isHeld = false
  const held: (() => void)[] = []
  const slow: SyncTransport = {
    ...transport,
    open: (link) =>
      transport.open({
        ...link,
        peerHas: (vector) => {
          if (isHeld && link.name !== 'me/index') held.push(() => link.peerHas(vector))
          else link.peerHas(vector)
        },
      }),
  }
  const sync = await a.sync({ transport: slow })
  await sync.syncNow()
  await vi.waitFor(() => expect(sync.status().state).toBe('synced'), soon)
  isHeld = true
  await a.store.purge('s')
  await vi.waitFor(() => expect(held.length).toBeGreaterThan(0), soon)
  await a.store.addMessage('s', 'user', 'begun anew')
  // Until that was looked at, and nothing could be done about it.
  await aWhile()
  isHeld = false
  for (const go of held) go()
  await vi.waitFor(() => expect([sync.status().state, sync.session('s')]).toEqual(['synced', 'synced']), soon)
  const other = await b.sync({ transport: hub.transport() })
  await other.syncNow()
  expect((await b.store.getHistory('s')).map(({ content }) => content)).toEqual(['begun anew'])
})

it('what came in part is not claimed to be whole: the answer that brings the rest is waited for', async () => {
  const hub = createHub()
  const [a, b] = [newDevice(), newDevice()]
  await a.store.addMessage('s', 'user', 'one')
  const one = await a.sync({ transport: hub.transport() })
  await one.syncNow()
  const door = createDoor()
  const transport = hub.transport()
  let isDropping = false
  const late: SyncTransport = {
    ...transport,
    open: (link) =>
      transport.open({
        ...link,
        receive: async (update, origin) =>
          isDropping && link.name !== 'me/index' ? undefined : link.receive(update, origin),
      }),
  }
  const merge: SessionStore['merge'] = async (...given) => {
    await door.pass()
    return b.store.merge(...given)
  }
  const two = await b.sync({ transport: late, store: { ...b.store, merge } })
  await two.syncNow()
  await vi.waitFor(() => expect([one.status().state, two.status().state]).toEqual(['synced', 'synced']), soon)
  isDropping = true
  door.shut()
  await a.store.addMessage('s', 'user', 'two')
  await one.syncNow()
  isDropping = false
  let claimed: string | undefined
  const asked = two.syncNow().then(({ state }) => (claimed = state))
  await vi.waitFor(() => expect(door.waiting()).toBeGreaterThan(0), soon)
  await aWhile()
  expect(claimed).toBeUndefined()
  door.open()
  expect([await asked, (await b.store.getHistory('s')).map(({ content }) => content)]).toEqual([
    'synced',
    ['one', 'two'],
  ])
})
