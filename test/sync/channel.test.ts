import { describe, expect, it, onTestFinished } from 'vitest'
import { Awareness } from 'y-protocols/awareness'
import * as Y from 'yjs'
import type { SyncTransport } from '../../src/sync/link.ts'
import { broadcastTransport } from '../../src/sync/transports/channel/broadcast-transport.ts'
import { readPeerMessage, writePeerMessage } from '../../src/sync/transports/channel/peer-message.ts'
import { portTransport } from '../../src/sync/transports/channel/port-transport.ts'
import { expectProven, expectSame, openDevice, until } from './device.ts'

let count = 0
const closing = (transport: SyncTransport): SyncTransport => {
  onTestFinished(() => transport.close())
  return transport
}
const broadcasts = (): (() => SyncTransport) => {
  const channel = `test ${count++}`
  return () => closing(broadcastTransport({ channel }))
}
const ports = (): (() => SyncTransport) => {
  const { port1, port2 } = new MessageChannel()
  const left = [port1, port2]
  return () => closing(portTransport(left.shift()!))
}

describe.each([
  ['a BroadcastChannel', broadcasts],
  ['a MessagePort', ports],
])('documents over %s', (_, ways) => {
  it('come to the same, and are proven to', async () => {
    const way = ways()
    const a = await openDevice(way())
    await a.say('before you came')
    const b = await openDevice(way())
    await b.say('from b')
    await expectSame(a, b)
    await a.say('later')
    await until(async () => expect(await b.texts()).toContain('later'))
    await expectProven(a)
    await expectProven(b)
  })

  it('travel in pieces, as many as it takes', async () => {
    const way = ways()
    const a = await openDevice(way())
    for (let i = 0; i < 90; i++) await a.store.addMessage('test/s/1', 'user', `${i} ${'x'.repeat(60_000)}`)
    await a.document.publish()
    const b = await openDevice(way())
    await expectSame(a, b)
    expect(b.reports.length).toBeGreaterThan(8)
  })

  it('come whole where a purge lies pieces behind what it purged', async () => {
    const way = ways()
    const a = await openDevice(way())
    await a.store.addMessage('test/s/1', 'user', 'purged')
    await a.store.truncateHistory('test/s/1', 0)
    for (let i = 0; i < 12; i++) await a.store.addMessage('test/s/1', 'user', `${i} ${'x'.repeat(60_000)}`)
    await a.store.reclaim('test/s/1')
    await a.document.publish()
    const b = await openDevice(way())
    await expectSame(a, b)
    expect(await b.texts()).toHaveLength(12)
  })

  it('tell who is here', async () => {
    const way = ways()
    const [mine, theirs] = [new Awareness(new Y.Doc()), new Awareness(new Y.Doc())]
    onTestFinished(() => [mine, theirs].forEach((awareness) => awareness.destroy()))
    mine.setLocalState({ name: 'a' })
    const a = await openDevice(way(), { awareness: mine })
    await openDevice(way(), { awareness: theirs })
    await until(() => expect(theirs.getStates().get(mine.clientID)).toEqual({ name: 'a' }))
    await a.close()
    await until(() => expect(theirs.getStates().has(mine.clientID)).toBe(false))
  })
})

describe('documents over a BroadcastChannel', () => {
  it('reach whoever comes late only once, however many have them', async () => {
    const way = broadcasts()
    const [a, b, c] = [await openDevice(way()), await openDevice(way()), await openDevice(way())]
    await a.say('x'.repeat(1_000))
    await expectSame(a, b)
    await expectSame(a, c)
    const late = await openDevice(way())
    await expectSame(a, late)
    await expectProven(late)
    expect(late.reports.reduce((sum, { known }) => sum + known, 0)).toBe(0)
  })

  it('take nothing that a stranger says, and go on', async () => {
    const channel = `test ${count++}`
    const way = (): SyncTransport => closing(broadcastTransport({ channel }))
    const [a, b] = [await openDevice(way()), await openDevice(way())]
    await a.say('good')
    await expectSame(a, b)
    const state = Y.encodeStateAsUpdate(a.document.doc)
    const stranger = new BroadcastChannel(channel)
    onTestFinished(() => stranger.close())
    const forged = new Y.Doc()
    forged.getMap('m').set('a', 1)
    for (const kind of ['hello', 'have', 'want', 'update', 'done', 'presence'] as const) {
      stranger.postMessage(
        writePeerMessage({ name: 'test/s/1', kind, from: 'x', to: '', payload: new Uint8Array([255, 255, 1]) }),
      )
    }
    stranger.postMessage(
      writePeerMessage({ name: 'test/s/1', kind: 'update', from: 'x', to: '', payload: Y.encodeStateAsUpdate(forged) }),
    )
    for (const data of ['text', { a: 1 }, new Uint8Array(), new Uint8Array([1, 3, 200])]) stranger.postMessage(data)
    await until(() => expect(a.reports.flatMap(({ quarantined }) => quarantined)).toHaveLength(2))
    expect(Y.encodeStateAsUpdate(a.document.doc)).toEqual(state)
    await b.say('better')
    await expectSame(b, a)
  })
})

it('reads back what it wrote', () => {
  const message = { name: 'n/s/1', kind: 'want', from: 'a', to: 'b', payload: new Uint8Array([1, 2]) } as const
  expect(readPeerMessage(writePeerMessage(message))).toEqual(message)
})

it('ends what is open on a port that closes', async () => {
  const { port1, port2 } = new MessageChannel()
  const a = await openDevice(closing(portTransport(port1)))
  await until(() => expect(a.status()).toBe('connected'))
  port2.close()
  await until(() => expect(a.status()).toBe('offline'))
})
