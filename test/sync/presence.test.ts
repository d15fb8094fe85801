import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { SyncTransport } from '../../src/sync/link.ts'
import type { PeerState } from '../../src/sync/presence/presence-state.ts'
import type { Sync, SyncOptions } from '../../src/sync/sync-contract.ts'
import { broadcastTransport } from '../../src/sync/transports/channel/broadcast-transport.ts'
import { hocuspocusTransport } from '../../src/sync/transports/hocuspocus/hocuspocus-transport.ts'
import { spawnSyncServer } from '../support/spawn-sync-server.ts'
import { createHub } from './hub.ts'
import { createDevice, type Device } from './synced-device.ts'

const endings: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})
const soon = { timeout: 20_000, interval: 5 }

let count = 0
async function broadcasts(): Promise<() => SyncTransport> {
  const channel = `presence ${count++}`
  return () => broadcastTransport({ channel })
}
async function server(): Promise<() => SyncTransport> {
  const data = await mkdtemp(join(tmpdir(), 'presence-'))
  const spawned = await spawnSyncServer({ data, secret: 'open sesame' })
  endings.push(async () => {
    await spawned.stop()
    await rm(data, { recursive: true, force: true })
  })
  return () => hocuspocusTransport({ url: spawned.url, token: () => 'open sesame' })
}

interface Named {
  readonly device: Device
  readonly sync: Sync
}
async function open(way: () => SyncTransport, name: string, options: Partial<SyncOptions> = {}): Promise<Named> {
  const device = createDevice()
  const transport = way()
  endings.push(async () => {
    await device.close()
    await transport.close()
  })
  return { device, sync: await device.sync({ transport, presence: { user: { name } }, ...options }) }
}
const names = (sync: Sync): unknown[] => sync.presence('s').map(({ user }) => user['name'])
const only = (sync: Sync): PeerState | undefined => sync.presence('s')[0]

describe.each([
  ['a BroadcastChannel', broadcasts],
  ['the server', server],
])('presence over %s', (_, ways) => {
  it('shows who is there, who types, and who has left', async () => {
    const way = await ways()
    const [a, b] = [await open(way, 'Ada'), await open(way, 'Bob')]
    await a.device.store.addMessage('s', 'user', 'hello')
    a.sync.watch('s')
    const stop = b.sync.watch('s')
    await vi.waitFor(() => expect([names(a.sync), names(b.sync)]).toEqual([['Bob'], ['Ada']]), soon)
    expect(only(b.sync)?.isTyping).toBe(false)
    a.sync.setTyping('s', true)
    await vi.waitFor(() => expect(only(b.sync)?.isTyping).toBe(true), soon)
    a.sync.setTyping('s', false)
    await vi.waitFor(() => expect(only(b.sync)?.isTyping).toBe(false), soon)
    stop()
    await vi.waitFor(() => expect(names(a.sync)).toEqual([]), soon)
    b.sync.watch('s')
    await vi.waitFor(() => expect(names(a.sync)).toEqual(['Bob']), soon)
    await b.sync.close()
    await vi.waitFor(() => expect(names(a.sync)).toEqual([]), soon)
    expect(a.sync.presences()).toEqual({})
  })

  it('shows a reply as it grows, lets it go when it is sealed, and stores none of it', async () => {
    const way = await ways()
    const [a, b] = [await open(way, 'Ada'), await open(way, 'Bob')]
    await a.device.store.addMessage('s', 'user', 'hello')
    b.sync.watch('s')
    await vi.waitFor(async () => expect((await b.device.store.getHistory('s')).length).toBe(1), soon)
    const before = await b.device.store.getVector('s')
    const draft = await a.device.store.openDraft('s', { role: 'assistant' })
    let text = ''
    for (let n = 0; n < 5; n++) {
      const piece = `piece ${n} `.repeat(60)
      text += piece
      await a.device.store.writeDraft('s', draft, n, { text: piece })
      await vi.waitFor(() => expect(only(b.sync)?.draft).toEqual({ id: draft, role: 'assistant', from: 0, text }), soon)
    }
    expect(text.length).toBeGreaterThan(2000)
    expect([await b.device.store.getVector('s'), await b.device.store.listDrafts('s')]).toEqual([before, []])
    await a.device.store.sealDraft('s', draft)
    await vi.waitFor(() => expect(only(b.sync)?.draft).toBeUndefined(), soon)
    await vi.waitFor(
      async () => expect((await b.device.store.getHistory('s')).map(({ content }) => content)).toEqual(['hello', text]),
      soon,
    )
  })
})

describe('presence', () => {
  it('is off unless it is asked for', async () => {
    const way = await broadcasts()
    const [a, b] = [await open(way, 'Ada'), await open(way, 'Bob')]
    const silent = createDevice()
    endings.push(() => silent.close())
    const third = await silent.sync({ transport: way() })
    for (const sync of [a.sync, b.sync, third]) sync.watch('s')
    third.setTyping('s', true)
    await vi.waitFor(() => expect([names(a.sync), names(b.sync)]).toEqual([['Bob'], ['Ada']]), soon)
    expect(third.presence('s')).toEqual([])
  })

  it('shows a reply that began before somebody came, from where it can be had', async () => {
    const way = await broadcasts()
    const a = await open(way, 'Ada')
    const draft = await a.device.store.openDraft('s', { role: 'assistant' })
    await a.device.store.writeDraft('s', draft, 0, { text: 'x'.repeat(3000) })
    a.sync.watch('s')
    const b = await open(way, 'Bob')
    b.sync.watch('s')
    await vi.waitFor(
      () => expect(only(b.sync)?.draft).toEqual({ id: draft, role: 'assistant', from: 1000, text: 'x'.repeat(2000) }),
      soon,
    )
  })

  it('shows a reply whose beginning this sync has not heard', async () => {
    const way = await broadcasts()
    const device = createDevice()
    endings.push(() => device.close())
    const draft = await device.store.openDraft('s', { role: 'assistant' })
    await device.store.writeDraft('s', draft, 0, { text: 'before, ' })
    await device.sync({ transport: way(), presence: { user: {} } })
    const b = await open(way, 'Bob')
    b.sync.watch('s')
    await vi.waitFor(async () => expect((await b.sync.syncNow()).state).toBe('synced'), soon)
    await device.store.addMessage('s', 'user', 'so that it is connected')
    await device.store.writeDraft('s', draft, 1, { text: 'after' })
    await vi.waitFor(() => expect(only(b.sync)?.draft?.text).toBe('before, after'), soon)
  })

  it('shows a reply that is streamed into a session that nobody here looks at, and that is the same on all', async () => {
    const hub = createHub()
    const a = await open(() => hub.transport(), 'Ada')
    await a.device.store.addMessage('s', 'user', 'hello')
    await vi.waitFor(async () => expect((await a.sync.syncNow()).state).toBe('synced'), soon)
    const draft = await a.device.store.openDraft('s', { role: 'assistant' })
    await a.device.store.writeDraft('s', draft, 0, { text: 'from ' })
    await a.sync.close()
    const again = await a.device.sync({ transport: hub.transport(), presence: { user: { name: 'Ada' } } })
    const b = await open(() => hub.transport(), 'Bob')
    b.sync.watch('s')
    await vi.waitFor(
      async () => expect([(await again.syncNow()).state, (await b.sync.syncNow()).state]).toEqual(['synced', 'synced']),
      soon,
    )
    expect(again.session('s')).toBe('unknown')
    await a.device.store.writeDraft('s', draft, 1, { text: 'afar' })
    await vi.waitFor(() => expect(only(b.sync)?.draft?.text).toBe('from afar'), soon)
  })

  it('keeps a watched session connected, and connects it again when its connection fails', async () => {
    const hub = createHub()
    let now = 0
    const opened: string[] = []
    const fail = new Map<string, () => void>()
    const transport = hub.transport()
    const counting: SyncTransport = {
      ...transport,
      open: (link) => {
        opened.push(link.name)
        fail.set(link.name, () => link.status({ state: 'error', message: 'broken' }))
        return transport.open(link)
      },
    }
    const a = await open(() => counting, 'Ada', { now: () => now, liveMs: 10 })
    const b = await open(() => hub.transport(), 'Bob')
    b.sync.watch('s')
    const stop = a.sync.watch('s')
    await vi.waitFor(() => expect(names(a.sync)).toEqual(['Bob']), soon)
    const name = opened.find((one) => one.startsWith('me/s/'))!
    now += 1000
    await a.device.store.addMessage('other', 'user', 'makes it look around')
    await vi.waitFor(() => expect(a.sync.session('other')).toBe('synced'), soon)
    expect(names(a.sync)).toEqual(['Bob'])
    fail.get(name)!()
    await vi.waitFor(
      () => expect([opened.filter((one) => one === name).length, names(a.sync)]).toEqual([2, ['Bob']]),
      soon,
    )
    stop()
    now += 1000
    await a.device.store.addMessage('one more', 'user', 'again')
    await vi.waitFor(() => expect(a.sync.session('one more')).toBe('synced'), soon)
    await vi.waitFor(() => expect(names(b.sync)).toEqual([]), soon)
    expect(names(a.sync)).toEqual([])
  })

  it('goes through its codec whole, both ways', async () => {
    const way = await broadcasts()
    const seen: unknown[] = []
    const presenceCodec = {
      write: async (state: unknown, id: string) => `${id} ${Buffer.from(JSON.stringify(state)).toString('base64')}`,
      read: async (content: unknown, id: string) => {
        seen.push(content)
        const [of, text] = String(content).split(' ')
        if (of !== id) throw new Error('another place')
        return JSON.parse(Buffer.from(text!, 'base64').toString()) as unknown
      },
    }
    const [a, b, c] = [
      await open(way, 'Ada', { presenceCodec }),
      await open(way, 'Bob B.', { presenceCodec }),
      await open(way, 'Eve'),
    ]
    for (const { sync } of [a, b, c]) sync.watch('s')
    await vi.waitFor(() => expect([names(a.sync), names(b.sync)]).toEqual([['Bob B.'], ['Ada']]), soon)
    expect(names(c.sync)).toEqual([])
    // With signs that no base64 has: the ids of devices are drawn.
    expect(JSON.stringify(seen)).not.toContain('Bob B.')
  })

  it.each<[string, unknown]>([
    ['no user', {}],
    ['a user that is no object', { user: 'Ada' }],
    ['a user of megabytes', { user: { name: 'x'.repeat(5000) } }],
    ['a user that is not plain', { user: { name: () => 'Ada' } }],
  ])('is refused with %s', async (_, presence) => {
    const device = createDevice()
    endings.push(() => device.close())
    await expect(device.sync({ transport: (await broadcasts())(), presence: presence as never })).rejects.toMatchObject(
      { name: 'InvalidInput' },
    )
  })
})
