import { createServer, type Socket } from 'node:net'
import { HocuspocusProvider } from '@hocuspocus/provider'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { WebSocket } from 'ws'
import { Awareness } from 'y-protocols/awareness'
import * as Y from 'yjs'
import { Server } from '../../server/src/plain-hocuspocus.js'
import {
  type HocuspocusTransportOptions,
  hocuspocusTransport,
} from '../../src/sync/transports/hocuspocus/hocuspocus-transport.ts'
import { countingSocket, type Traffic } from './counting-socket.ts'
import { type Device, expectProven, expectSame, openDevice, until } from './device.ts'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
  vi.restoreAllMocks()
})

async function startServer(configuration: ConstructorParameters<typeof Server>[0] = {}, port = 0): Promise<Server> {
  const server = new Server({
    quiet: true,
    stopOnSignals: false,
    debounce: 0,
    unloadImmediately: false,
    ...configuration,
    port,
  })
  await server.listen()
  closing.push(() => server.destroy())
  return server
}

function connect(
  server: Server | number,
  options: Partial<HocuspocusTransportOptions> = {},
): ReturnType<typeof hocuspocusTransport> & { traffic: Traffic } {
  const { Socket, traffic } = countingSocket()
  const port = typeof server === 'number' ? server : server.address.port
  const transport = hocuspocusTransport({ url: `ws://127.0.0.1:${port}`, WebSocket: Socket, ...options })
  closing.push(() => transport.close())
  return { ...transport, traffic }
}

const deviceOn = (server: Server, options: Partial<HocuspocusTransportOptions> = {}): Promise<Device> =>
  openDevice(connect(server, options))

describe('documents over a Hocuspocus server', () => {
  it('come to the same on two devices that both wrote before they met, and hear of each other from then on', async () => {
    const server = await startServer()
    const [a, b] = [await deviceOn(server), await deviceOn(server)]
    await a.say('from a')
    await b.say('from b')
    await expectSame(a, b)
    await a.say('later')
    await until(async () => expect(await b.texts()).toContain('later'))
    await expectSame(a, b)
    expect(a.statuses).toEqual([{ state: 'connecting' }, { state: 'connected' }])
    await expectProven(a)
  })

  it('share one connection, which ends with the last of them', async () => {
    const transport = connect(await startServer())
    const devices = await Promise.all(
      Array.from({ length: 120 }, (_, i) => openDevice(transport, { name: `test/s/${i}` })),
    )
    await until(() => expect(devices.map((device) => device.status())).toEqual(devices.map(() => 'connected')))
    expect(transport.traffic.open).toBe(1)
    await Promise.all(devices.map((device) => device.close()))
    await until(() => expect(transport.traffic.open).toBe(0))
  })

  it('are open again when they are closed and opened in one breath', async () => {
    const server = await startServer()
    const transport = connect(server)
    // Another document keeps the connection.
    const [other, a] = [await openDevice(transport, { name: 'test/s/other' }), await openDevice(transport)]
    await until(() => expect([a.status(), other.status()]).toEqual(['connected', 'connected']))
    for (let i = 0; i < 3; i++) {
      void a.connection.close()
      a.reopen()
      await a.say(`time ${i}`)
      await expectProven(a)
    }
    expect(transport.traffic.open).toBe(1)
  })

  it('are open again when they are opened twice before there is a connection', async () => {
    const a = await deviceOn(await startServer())
    a.reopen()
    a.reopen()
    await a.say('here')
    await expectProven(a)
    expect(a.status()).toBe('connected')
  })

  it('travel in pieces where a lot is new', async () => {
    const longest = { update: 0 }
    const server = await startServer({
      beforeHandleMessage: async ({ update }) => {
        longest.update = Math.max(longest.update, update.length)
      },
    })
    const a = await deviceOn(server)
    for (let i = 0; i < 60; i++) await a.store.addMessage('test/s/1', 'user', `${i} ${'x'.repeat(60_000)}`)
    await a.document.publish()
    await a.close()
    const again = await openDevice(connect(server), { store: a.store })
    await again.say('one more')
    await expectProven(again)
    const b = await deviceOn(server)
    await expectSame(again, b)
    expect(longest.update).toBeGreaterThan(400_000)
    expect(longest.update).toBeLessThan(600_000)
  })

  it('cost at most a kilobyte where nothing is new, and what is new hardly more than itself', async () => {
    const server = await startServer()
    const a = await deviceOn(server)
    for (let i = 0; i < 20; i++) await a.say(`${i} ${'x'.repeat(1_000)}`)
    await expectProven(a)
    const [keeper, witness] = [await deviceOn(server), await deviceOn(server)]
    await expectSame(a, keeper)
    // Without anybody there, the server would forget it all.
    await expectSame(a, witness)
    await a.close()

    const idle = connect(server)
    const again = await openDevice(idle, { store: a.store })
    await until(() => expect(again.theirs().size).toBeGreaterThan(0))
    await until(() => expect(again.reports.length).toBeGreaterThan(0))
    expect(idle.traffic.sent + idle.traffic.received).toBeLessThanOrEqual(1_000)
    await again.close()

    // What is new travels once up, and once down to each that lacks it.
    await keeper.connection.close()
    const before = Y.encodeStateVector(again.document.doc)
    for (let i = 0; i < 100; i++) await again.store.addMessage('test/s/1', 'user', `new ${i} ${'y'.repeat(1_000)}`)
    const [up, down] = [connect(server), connect(server)]
    const third = await openDevice(up, { store: again.store })
    await expectProven(third)
    const content = Y.encodeStateAsUpdate(third.document.doc, before).length
    expect(up.traffic.sent).toBeLessThanOrEqual(content * 1.05)
    const late = await openDevice(down, { store: keeper.store })
    await expectSame(third, late)
    expect(down.traffic.sent + down.traffic.received).toBeLessThanOrEqual(content * 1.05)
  })

  it('send nothing back of what came', async () => {
    const server = await startServer()
    const transport = connect(server)
    const [a, b] = [await deviceOn(server), await openDevice(transport)]
    await until(() => expect(b.status()).toBe('connected'))
    await expectProven(b)
    const { sent } = transport.traffic
    await a.say('x'.repeat(2_000))
    await expectSame(a, b)
    expect(transport.traffic.sent).toBe(sent)
  })

  it('tell of what was purged, once', async () => {
    const server = await startServer()
    const a = await deviceOn(server)
    await a.say('one')
    await a.say('two')
    await expectProven(a)
    await a.store.truncateHistory('test/s/1', 0)
    await a.store.reclaim('test/s/1')
    await a.document.publish()
    await expectProven(a)
    await until(() =>
      expect(Y.encodeStateAsUpdate(server.hocuspocus.documents.get('test/s/1')!)).toEqual(
        Y.encodeStateAsUpdate(a.document.doc),
      ),
    )
    const { Socket, traffic } = countingSocket()
    await a.close()
    const b = await openDevice(connect(server, { WebSocket: Socket }), { store: a.store })
    await expectProven(b)
    expect(traffic.sent).toBeLessThan(500)
  })

  it('leave nothing running behind when they are closed', async () => {
    const server = await startServer()
    const transport = connect(server)
    const before = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
    const a = await openDevice(transport, { awareness: newAwareness() })
    await a.say('x')
    await expectProven(a)
    await a.connection.close()
    await until(() => expect(transport.traffic.open).toBe(0))
    expect(a.document.doc._observers.get('update')?.size ?? 0).toBe(0)
    await until(() =>
      expect(process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length).toBeLessThanOrEqual(before),
    )
  })
})

describe('what a stranger sends', () => {
  it.each<[string, (doc: Y.Doc) => void]>([
    ['a map', (doc) => void doc.getMap('m').set('a', 1)],
    [
      'an element that is no tuple',
      (doc) => doc.getArray(`w:${doc.clientID.toString(36)}`).push([{ type: 'message' }]),
    ],
    ['an element in the array of another', (doc) => doc.getArray('w:1').push([[1]])],
  ])('as %s reaches neither the log nor the document, and what is good does afterwards', async (_, write) => {
    const server = await startServer()
    const [a, b] = [await deviceOn(server), await deviceOn(server)]
    await a.say('good')
    await expectSame(a, b)
    const [state, log] = [Y.encodeStateAsUpdate(a.document.doc), await a.store.changes('test/s/1')]
    const theirs = new Y.Doc()
    const stranger = new HocuspocusProvider({
      url: `ws://127.0.0.1:${server.address.port}`,
      name: 'test/s/1',
      document: theirs,
      token: '',
      ...{ WebSocketPolyfill: WebSocket },
    })
    onTestFinished(() => stranger.destroy())
    write(theirs)
    await until(() => expect(a.reports.flatMap(({ quarantined }) => quarantined)).not.toEqual([]))
    expect(Y.encodeStateAsUpdate(a.document.doc)).toEqual(state)
    expect(await a.store.changes('test/s/1')).toEqual(log)
    await b.say('better')
    await until(async () => expect(await a.texts()).toEqual(['good', 'better']))
    // And on a new device, which gets both in one answer.
    const c = await deviceOn(server)
    await until(async () => expect(await c.texts()).toEqual(['good', 'better']))
  })
})

describe('a document ends', () => {
  it('as denied, with the reason, and is let in with another token', async () => {
    const tokens = ['old', 'new']
    const server = await startServer({
      onAuthenticate: async ({ token }) => {
        if (token !== 'new') throw Object.assign(new Error(), { reason: 'token-expired' })
      },
    })
    const a = await deviceOn(server, { token: async () => tokens.shift()! })
    await until(() => expect(a.statuses.at(-1)).toEqual({ state: 'denied', message: 'token-expired' }))
    await a.connection.close()
    a.reopen()
    await a.say('in')
    await expectProven(a)
  })

  it('as an error when the app has no token', async () => {
    const a = await deviceOn(await startServer(), { token: () => Promise.reject(new Error('no network')) })
    await until(() =>
      expect(a.statuses.at(-1)).toEqual({ state: 'error', message: 'the token could not be loaded: no network' }),
    )
  })

  it('as offline when the app never gives a token, and others get their turn', async () => {
    let asked = 0
    const hanging = (): boolean => asked > 1 && asked <= 51
    const transport = connect(await startServer(), {
      token: () => (asked++, hanging() ? new Promise<string>(() => undefined) : 'token'),
    })
    const one = await openDevice(transport, { name: 'test/s/one' })
    await until(() => expect(one.status()).toBe('connected'))
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    // As many as the server lets wait at once.
    const stuck = await Promise.all(
      Array.from({ length: 50 }, (_, i) => openDevice(transport, { name: `test/s/${i}` })),
    )
    const last = await openDevice(transport, { name: 'test/s/last' })
    await vi.advanceTimersByTimeAsync(29_000)
    expect(new Set([...stuck, last].map((device) => device.status()))).toEqual(new Set(['connecting']))
    await vi.advanceTimersByTimeAsync(2_000)
    vi.useRealTimers()
    expect(new Set(stuck.map((device) => device.status()))).toEqual(new Set(['offline']))
    await until(() => expect([one.status(), last.status()]).toEqual(['connected', 'connected']))
  })

  it('as denied when the token runs out meanwhile', async () => {
    const server = await startServer()
    const a = await deviceOn(server)
    await until(() => expect(a.status()).toBe('connected'))
    for (const connection of server.hocuspocus.documents.get('test/s/1')!.connections.keys())
      connection.close({ code: 4000, reason: 'token-expired' })
    await until(() => expect(a.statuses.at(-1)).toEqual({ state: 'denied', message: 'token-expired' }))
  })

  it('as oversized over a message that the server refuses, while the others go on', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const server = await startServer({
      beforeHandleMessage: async ({ update }) => {
        if (update.length > 100_000) throw new Error('too big')
      },
    })
    const transport = connect(server)
    const [big, small] = [await openDevice(transport, { name: 'test/s/big' }), await openDevice(transport)]
    await big.say('x'.repeat(200_000))
    await until(() => expect(big.status()).toBe('oversized'))
    await small.say('fits')
    await expectProven(small)
    expect(small.status()).toBe('connected')
  })

  it('as oversized over a message that ends the connection of all: it is not sent again, the others go on, and what others wrote still comes', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const server = await startServer({ websocketOptions: { maxPayload: 300_000 } })
    const transport = connect(server)
    const [big, small] = [await openDevice(transport, { name: 'test/s/big' }), await openDevice(transport)]
    await until(() => expect([big.status(), small.status()]).toEqual(['connected', 'connected']))
    await big.say('x'.repeat(400_000))
    await until(() => expect([big.status(), small.status()]).toEqual(['oversized', 'offline']))
    const other = await openDevice(connect(server), { name: 'test/s/big' })
    await other.say('from another')
    await expectProven(other)
    transport.traffic.sent = 0
    big.statuses.length = 0
    for (const device of [big, small]) device.reopen()
    await small.say('fits')
    await expectProven(small)
    await until(() =>
      expect(big.statuses.at(-1)).toEqual({
        state: 'oversized',
        message: expect.stringContaining('an entry is too long for the server'),
      }),
    )
    expect(await big.texts()).toContain('from another')
    expect(small.status()).toBe('connected')
    expect(transport.traffic.sent).toBeLessThan(2_000)
  })

  it('as offline with its server, and has everything once there is one again', async () => {
    const first = await startServer()
    const { port } = first.address
    const [a, b] = [await deviceOn(first), await deviceOn(first)]
    await a.say('before')
    await expectSame(a, b)
    await first.destroy()
    await until(() => expect([a.status(), b.status()]).toEqual(['offline', 'offline']))
    await a.connection.close()
    await a.say('while away')
    a.statuses.length = 0
    a.reopen()
    await until(() => expect(a.status()).toBe('offline'))
    await startServer({}, port)
    a.reopen()
    b.reopen()
    await expectSame(a, b)
    await expectProven(a)
  })

  it('as offline where nobody answers as a server', async () => {
    const met: Socket[] = []
    const deaf = createServer((socket) => void met.push(socket.on('error', () => undefined).end('hello'))).listen(0)
    onTestFinished(() => {
      deaf.close()
      for (const socket of met) socket.destroy()
    })
    const a = await openDevice(connect((deaf.address() as { port: number }).port))
    await until(() => expect(a.status()).toBe('offline'))
  })
})

describe('a document that may only be read', () => {
  it('takes in, sends nothing, and says so', async () => {
    const server = await startServer({
      onAuthenticate: async ({ token, connectionConfig }) => {
        connectionConfig.readOnly = token === 'reader'
      },
    })
    const [writer, reader] = [await deviceOn(server), await deviceOn(server, { token: () => 'reader' })]
    await until(() => expect(reader.status()).toBe('readonly'))
    await reader.say('mine')
    await writer.say('theirs')
    await until(async () => expect(await reader.texts()).toContain('theirs'))
    await expectProven(writer)
    expect(await writer.texts()).toEqual(['theirs'])
    await reader.close()
  })
})

describe('presence', () => {
  it('comes, changes and goes, and outlives its connection', async () => {
    const server = await startServer()
    const [mine, theirs] = [newAwareness(), newAwareness()]
    const [a, b] = [
      await openDevice(connect(server), { awareness: mine }),
      await openDevice(connect(server), { awareness: theirs }),
    ]
    mine.setLocalState({ name: 'a' })
    await until(() => expect(theirs.getStates().get(mine.clientID)).toEqual({ name: 'a' }))
    mine.setLocalStateField('typing', true)
    await until(() => expect(theirs.getStates().get(mine.clientID)).toEqual({ name: 'a', typing: true }))
    await a.connection.close()
    await until(() => expect(theirs.getStates().has(mine.clientID)).toBe(false))
    expect(mine.getLocalState()).toEqual({ name: 'a', typing: true })
    mine.setLocalStateField('typing', false)
    a.reopen()
    await until(() => expect(theirs.getStates().get(mine.clientID)).toEqual({ name: 'a', typing: false }))
    await b.close()
  })
})

it.each<[string, object]>([
  ['no URL', { url: 'example' }],
  ['an HTTP URL', { url: 'http://example.org' }],
  ['a token that is no function', { url: 'ws://example.org', token: 'secret' }],
])('is refused with %s', (_, options) => {
  expect(() => hocuspocusTransport({ WebSocket, ...options } as HocuspocusTransportOptions)).toThrow(
    expect.objectContaining({ name: 'InvalidInput' }),
  )
})

function newAwareness(): Awareness {
  const awareness = new Awareness(new Y.Doc())
  onTestFinished(() => awareness.destroy())
  return awareness
}
