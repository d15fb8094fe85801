import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { WebSocketServer } from 'ws'
import { Awareness } from 'y-protocols/awareness'
import { WebsocketProvider } from 'y-websocket'
import * as Y from 'yjs'
import { sessionDocumentId } from '../../src/sync/session-document-id.ts'
import type { WebsocketTransportOptions } from '../../src/sync/transports/websocket/websocket-options.ts'
import { websocketTransport } from '../../src/sync/transports/websocket/websocket-transport.ts'
import { countingSocket, type Traffic } from './counting-socket.ts'
import { type Device, expectProven, expectSame, openDevice, until } from './device.ts'
import { createDevice } from './synced-device.ts'
import { createYWebsocketServer } from './y-websocket-server.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

interface Running {
  readonly port: number
  stop(): Promise<void>
}

/** @param meet - told of each connection; `false`: it gets no answer */
async function startServer(meet = (): boolean => true): Promise<Running> {
  const documents = createYWebsocketServer()
  const server: Server = createServer()
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', (socket, request) => {
    if (!meet()) return
    if (request.url!.includes('token=bad')) (socket as WebSocket).close(4401, 'who are you?')
    else documents.join(socket as WebSocket, request)
  })
  await new Promise<void>((resolve) => server.listen(0, resolve))
  const stop = async (): Promise<void> => {
    for (const client of sockets.clients) client.terminate()
    sockets.close()
    await new Promise((resolve) => server.close(resolve))
  }
  closing.push(stop)
  return { port: (server.address() as AddressInfo).port, stop }
}

function connect(
  server: Running,
  options: Partial<WebsocketTransportOptions> = {},
): ReturnType<typeof websocketTransport> & { traffic: Traffic } {
  const { Socket, traffic } = countingSocket()
  const transport = websocketTransport({ url: `ws://127.0.0.1:${server.port}`, WebSocket: Socket, ...options })
  closing.push(() => transport.close())
  return { ...transport, traffic }
}

const deviceOn = (server: Running): Promise<Device> => openDevice(connect(server))

describe('documents over a y-websocket server', () => {
  it('come to the same on two devices, and are proven to be there', async () => {
    const server = await startServer()
    const [a, b] = [await deviceOn(server), await deviceOn(server)]
    await a.say('from a')
    await b.say('from b')
    await expectSame(a, b)
    await expectProven(a)
    await a.say('later')
    await until(async () => expect(await b.texts()).toContain('later'))
    await expectSame(a, b)
    expect(a.statuses).toEqual([{ state: 'connecting' }, { state: 'connected' }])
  })

  it('are asked for again where the server did not answer once', async () => {
    let isSilent = false
    let met: () => void = () => undefined
    const server = await startServer(() => (met(), !isSilent))
    const device = await deviceOn(server)
    await until(() => expect(device.answers).toBeGreaterThan(0))
    const { answers } = device
    isSilent = true
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const isThere = new Promise<void>((resolve) => (met = resolve))
    device.connection.ask()
    await isThere
    isSilent = false
    await vi.advanceTimersByTimeAsync(31_000)
    vi.useRealTimers()
    device.connection.ask()
    await until(() => expect(device.answers).toBe(answers + 1))
    expect(device.status()).toBe('connected')
  })

  it('lose a session that was purged', async () => {
    const server = await startServer()
    const device = createDevice()
    closing.push(() => device.close())
    await device.store.addMessage('s', 'user', 'secret words')
    const sync = await device.sync({ transport: connect(server) })
    await sync.syncNow()
    const seen = new Y.Doc()
    const room = `me/s/${await sessionDocumentId('s')}`.split('/').map(encodeURIComponent).join('/')
    const onlooker = new WebsocketProvider(`ws://127.0.0.1:${server.port}`, room, seen, {
      WebSocketPolyfill: countingSocket().Socket,
      disableBc: true,
    })
    closing.push(() => (onlooker.destroy(), seen.destroy()))
    const held = (): string => Buffer.from(Y.encodeStateAsUpdate(seen)).toString('latin1')
    await until(() => expect(held()).toContain('secret words'))
    await device.store.purge('s')
    await until(async () => expect(await device.store.listPurges()).toEqual([]))
    await until(() => expect(held()).not.toContain('secret words'))
  })

  it('cost at most a kilobyte where nothing is new', async () => {
    const server = await startServer()
    const [a, witness] = [await deviceOn(server), await deviceOn(server)]
    for (let i = 0; i < 5; i++) await a.say(`${i} ${'x'.repeat(1_000)}`)
    await expectSame(a, witness)
    await a.close()
    const transport = connect(server)
    const again = await openDevice(transport, { store: a.store })
    await until(() => expect(again.reports.length).toBeGreaterThan(0))
    await expectProven(again)
    expect(transport.traffic.sent + transport.traffic.received).toBeLessThanOrEqual(1_000)
  })

  it('take nothing that a stranger puts in', async () => {
    const server = await startServer()
    const a = await deviceOn(server)
    await a.say('good')
    const state = Y.encodeStateAsUpdate(a.document.doc)
    const theirs = new Y.Doc()
    const { Socket } = countingSocket()
    const stranger = new WebsocketProvider(`ws://127.0.0.1:${server.port}`, 'test/s/1', theirs, {
      WebSocketPolyfill: Socket,
      disableBc: true,
    })
    onTestFinished(() => (stranger.destroy(), theirs.destroy()))
    theirs.getMap('m').set('a', 1)
    await until(() => expect(a.reports.flatMap(({ quarantined }) => quarantined)).not.toEqual([]))
    expect(Y.encodeStateAsUpdate(a.document.doc)).toEqual(state)
    await a.say('better')
    const b = await deviceOn(server)
    await until(async () => expect(await b.texts()).toEqual(['good', 'better']))
  })

  it('end as offline with the server, and leave nothing running behind', async () => {
    const server = await startServer()
    const before = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
    const a = await deviceOn(server)
    await until(() => expect(a.status()).toBe('connected'))
    await server.stop()
    await until(() => expect(a.status()).toBe('offline'))
    expect(a.document.doc._observers.get('update')?.size ?? 0).toBe(0)
    await until(() =>
      expect(process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length).toBeLessThanOrEqual(before),
    )
  })

  it('end as denied where the server says so, and are let in with other parameters', async () => {
    const tokens = ['bad', 'good']
    const a = await openDevice(connect(await startServer(), { params: () => ({ token: tokens.shift()! }) }))
    await until(() => expect(a.statuses.at(-1)).toEqual({ state: 'denied', message: 'who are you?' }))
    a.reopen()
    await a.say('in')
    await expectProven(a)
  })

  it('tell who is here', async () => {
    const server = await startServer()
    const [mine, theirs] = [new Awareness(new Y.Doc()), new Awareness(new Y.Doc())]
    onTestFinished(() => [mine, theirs].forEach((awareness) => awareness.destroy()))
    mine.setLocalState({ name: 'a' })
    const a = await openDevice(connect(server), { awareness: mine })
    await openDevice(connect(server), { awareness: theirs })
    await until(() => expect(theirs.getStates().get(mine.clientID)).toEqual({ name: 'a' }))
    await a.connection.close()
    await until(() => expect(theirs.getStates().has(mine.clientID)).toBe(false))
  })
})
