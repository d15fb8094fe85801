import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import * as Y from 'yjs'
import { startSyncServer } from '../../server/index.js'
import type { SyncServer, SyncServerOptions } from '../../server/src/options.js'
import { openSyncDevice, type SyncDevice } from '../support/sync-device.ts'

let data: string
let server: SyncServer
const devices: SyncDevice[] = []

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'sync-data-'))
})
afterEach(async () => {
  for (const device of devices.splice(0)) device.close()
  await server.close()
  await rm(data, { recursive: true, force: true })
})

async function start(options: SyncServerOptions = {}): Promise<void> {
  server = await startSyncServer({
    port: 0,
    data,
    say: () => {},
    ...((options.tokens ?? options.authorise) ? {} : { secret: 'secret' }),
    ...options,
  })
}

function connect(name = 'ada/s/chat', token: string | (() => string) = 'secret'): SyncDevice {
  const device = openSyncDevice(server.url, name, token)
  devices.push(device)
  return device
}

const metrics = async () => (await fetch(`${server.httpUrl}/metrics`)).text()

describe('documents', () => {
  it('go from one device to the other, and are there for a third when the server was started again', async () => {
    await start()
    const [phone, laptop] = [connect(), connect()]
    phone.push(['message', 1], ['message', 2])
    await expect
      .poll(() => laptop.values(phone.document.clientID))
      .toEqual([
        ['message', 1],
        ['message', 2],
      ])
    await phone.stored()
    for (const device of devices.splice(0)) device.close()
    await server.close()
    await start()
    const tablet = connect()
    await expect
      .poll(() => tablet.values(phone.document.clientID))
      .toEqual([
        ['message', 1],
        ['message', 2],
      ])
  })

  it('come back to nobody who wrote them', async () => {
    await start()
    const [phone, laptop] = [connect(), connect()]
    await Promise.all([phone.stored(), laptop.stored()])
    let received = 0
    phone.provider.on(
      'message',
      ({ message }: { message: { decoder: { arr: Uint8Array } } }) => (received += message.decoder.arr.length),
    )
    for (let entry = 0; entry < 20; entry++) phone.push(['x'.repeat(1_000)])
    await phone.stored()
    laptop.push(['from the laptop'])
    await expect.poll(() => phone.values(laptop.document.clientID)).toEqual([['from the laptop']])
    await expect.poll(() => laptop.values(phone.document.clientID)).toHaveLength(20)
    expect(received).toBeLessThan(2_000)
  })

  it('that are sent again are not stored again', async () => {
    await start()
    const phone = connect()
    await phone.stored()
    phone.push(['a'], ['b'])
    await phone.stored()
    phone.document.getArray(`w:${phone.document.clientID.toString(36)}`).delete(0)
    await phone.stored()
    const before = /updates_total (\d+)/.exec(await metrics())?.[1]
    const again = connect()
    Y.applyUpdate(again.document, Y.encodeStateAsUpdate(phone.document))
    await again.stored()
    expect(/updates_total (\d+)/.exec(await metrics())?.[1]).toBe(before)
  })

  it.each([
    ['a root that isn’t the writer’s', 'ada/s/chat', (doc: Y.Doc) => doc.getArray('w:zzz').push(['forged'])],
    ['a map in the index', 'ada/index', (doc: Y.Doc) => doc.getMap('index').set('sid', 'forged')],
  ])('are closed for who sends %s, and nothing of it reaches anybody', async (_, name, forge) => {
    await start()
    const [evil, laptop] = [connect(name), connect(name)]
    await Promise.all([evil.stored(), laptop.stored()])
    forge(evil.document)
    await expect.poll(() => evil.refusals.join()).toContain('foreign-update')
    const later = connect(name)
    await later.stored()
    expect(Y.encodeStateAsUpdate(later.document)).toEqual(Y.encodeStateAsUpdate(new Y.Doc()))
    expect(Y.encodeStateAsUpdate(laptop.document)).toEqual(Y.encodeStateAsUpdate(new Y.Doc()))
    expect(await metrics()).toContain('refused_total{reason="foreign-update"} 1')
  })
})

describe('a token', () => {
  it('that is wrong opens nothing', async () => {
    await start()
    const device = connect('ada/s/chat', 'wrong')
    await expect.poll(() => device.refusals).toContain('denied')
  })

  it('opens its own namespaces, with its own rights', async () => {
    await start({
      tokens: [
        { token: 'ada', namespaces: ['ada', 'team-*'] },
        { token: 'guest', namespaces: ['ada'], access: 'read' },
      ],
    })
    const ada = connect('ada/s/chat', 'ada')
    ada.push(['of ada'])
    await ada.stored()
    await connect('team-1/index', 'ada').stored()
    const denied = connect('bob/s/chat', 'ada')
    await expect.poll(() => denied.refusals).toContain('denied')

    const guest = connect('ada/s/chat', 'guest')
    await expect.poll(() => guest.values(ada.document.clientID)).toEqual([['of ada']])
    expect(guest.provider.authorizedScope).toBe('readonly')
    guest.push(['of a guest'])
    ada.push(['more'])
    await ada.stored()
    const later = connect('ada/s/chat', 'ada')
    await expect.poll(() => later.values(ada.document.clientID)).toHaveLength(2)
    expect(later.values(guest.document.clientID)).toEqual([])
  })

  it('that expires closes the document with that reason, unless a new one came before', async () => {
    let allow: (allowed: boolean) => void = () => {}
    const soon = Date.now() + 600
    await start({
      authorise: (token) => {
        if (token === 'new') allow(true)
        return token === 'new' ? 'write' : { access: 'write', expires: soon }
      },
    })
    let token = 'old'
    const [kept, closed] = [connect('ada/s/a', () => token), connect('ada/s/b', 'old')]
    await Promise.all([kept.stored(), closed.stored()])
    const renewed = new Promise((resolve) => (allow = resolve))
    token = 'new'
    await kept.provider.sendToken()
    await renewed
    await expect.poll(() => closed.refusals).toEqual(['token-expired'])
    kept.push(['still there'])
    await kept.stored()
    expect(kept.refusals).toEqual([])
  })

  it('is not taken for denied while whoever decides can’t be asked', async () => {
    await start({ authorise: () => Promise.reject(new Error('the database of users is away')) })
    const device = connect()
    await expect.poll(() => device.refusals).toEqual(['authorise-failed'])
  })

  it('opens nothing if whoever decides says nothing', async () => {
    await start({ authorise: () => undefined as never })
    const device = connect()
    await expect.poll(() => device.refusals).toContain('denied')
    const blob = `${server.httpUrl}/blobs/ada/${'0'.repeat(64)}`
    expect((await fetch(blob)).status).toBe(403)
  })
})

describe('limits', () => {
  it('refuse a message that is too long by name, and keep the connection', async () => {
    await start({ limits: { messageBytes: 2_000 } })
    const device = connect()
    await device.stored()
    device.push(['x'.repeat(3_000)])
    await expect.poll(() => device.refusals.join()).toContain('message-too-big')
    expect(device.provider.configuration.websocketProvider.status).toBe('connected')
  })

  it('refuse what would make a document too big, but take a purge that makes room', async () => {
    await start({ limits: { documentBytes: 6_000 } })
    const device = connect()
    for (let entry = 0; entry < 4; entry++) device.push(['x'.repeat(1_000)])
    await device.stored()
    device.push(['x'.repeat(3_000)])
    await expect.poll(() => device.refusals.join()).toContain('document-too-big')

    const next = connect()
    await expect.poll(() => next.values(device.document.clientID)).toHaveLength(4)
    next.document.getArray(`w:${device.document.clientID.toString(36)}`).delete(0, 4)
    await next.stored()
    next.push(['x'.repeat(3_000)])
    await next.stored()
    expect(next.refusals).toEqual([])
  })

  it('end a connection that sends faster than allowed', async () => {
    await start({ limits: { messageBurst: 20, messagesPerSecond: 1 } })
    const device = connect()
    await device.stored()
    for (let entry = 0; entry < 30; entry++) device.push([entry])
    await expect.poll(() => device.refusals).toContain('rate-limited')
  })

  it('bound the documents of one connection', async () => {
    await start({ limits: { documents: 1 } })
    const first = connect('ada/s/a')
    await first.stored()
    const { HocuspocusProvider } = await import('@hocuspocus/provider')
    const refused = await new Promise((resolve) => {
      const second = new HocuspocusProvider({
        websocketProvider: first.provider.configuration.websocketProvider,
        name: 'ada/s/b',
        token: 'secret',
        onAuthenticationFailed: ({ reason }) => {
          second.destroy()
          resolve(reason)
        },
      })
      second.attach()
    })
    expect(refused).toContain('too-many-documents')
  })

  it('know which names are documents', async () => {
    await start()
    for (const name of ['ada', 'ada/s/', '../s/x', 'ada/s/a/b', '/index', 'ada/notes']) {
      const device = connect(name)
      await expect.poll(() => device.refusals, { message: name }).toContain('bad-name')
    }
  })
})

describe('options', () => {
  it.each<[string, SyncServerOptions]>([
    ['port', { port: 70_000 }],
    ['secret', { secret: '' }],
    ['authorise', { secret: 'a', authorise: () => 'write' }],
    ['redis', { redis: 'redis://127.0.0.1' }],
    ['expires', { tokens: [{ token: 'a', expires: 'tomorrow' }] }],
    ['limits', { limits: { messageBytes: 0 } }],
    // A configuration is JSON, which no compiler has checked.
    ['limits', { limits: 5 as never }],
    ['namespace', { tokens: [{ token: 'a', namespace: ['ada'] } as never] }],
    ['namespaces', { tokens: [{ token: 'a', namespaces: [5 as never] }] }],
    ['tokens', { tokens: 'a' as never }],
    ['tokens', { tokens: [null as never] }],
    ['secret', { secret: 5 as never }],
    ['data', { data: 5 as never }],
    ['address', { address: 5 as never }],
    ['authorise', { authorise: 'ada' as never }],
    ['say', { say: 'ada' as never }],
    ['database', { database: null as never }],
    ['database.url', { database: { kind: 'postgres' } as never }],
    ['database.endpoint', { database: { kind: 's3', bucket: 'b' } as never }],
    ['prefx', { database: { kind: 'postgres', url: 'postgres://db', prefx: 'a/' } as never }],
    ['redis', { redis: 'redis://cache:x', database: { kind: 'postgres', url: 'postgres://db' } }],
  ])('that make no sense are refused by name: %s', async (name, options) => {
    await start()
    await expect(startSyncServer({ data, port: 0, ...options })).rejects.toThrow(TypeError)
    await expect(startSyncServer({ data, port: 0, ...options })).rejects.toThrow(name)
  })

  it('a port that is taken is said, and the folder is free again', async () => {
    await start()
    const other = await mkdtemp(join(tmpdir(), 'sync-data-'))
    await expect(startSyncServer({ port: server.port, data: other, secret: 'a' })).rejects.toThrow('EADDRINUSE')
    const next = await startSyncServer({ port: 0, data: other, secret: 'a' })
    await next.close()
    await rm(other, { recursive: true })
  })
})
