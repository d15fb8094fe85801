import * as encoding from 'lib0/encoding'
import { expect, it, onTestFinished, vi } from 'vitest'
import * as Y from 'yjs'
import { type IndexDocument, openIndexDocument } from '../../../src/sync/index-document.ts'
import { plainCodec } from '../../../src/sync/plain-codec.ts'
import { createHub } from '../hub.ts'
import { createDevice } from '../synced-device.ts'

const soon = { timeout: 20_000, interval: 5 }
const value = { key: 's', title: 'T', createdAt: 1, updatedAt: 2, messageCount: 3, hash: '0123456789abcdef' }
const open = (): Promise<IndexDocument> =>
  openIndexDocument({ name: 'index', codec: plainCodec.index, now: () => 1_700_000_000_000, onChange: () => undefined })

/** What a device says of three sessions, one after the other. */
async function saidOfThree(): Promise<readonly Uint8Array[]> {
  const other = await open()
  const updates: Uint8Array[] = []
  other.doc.on('update', (update: Uint8Array) => updates.push(update))
  for (const key of ['a', 'b', 'c']) await other.publish([[key, { ...value, key }]])
  return updates
}

it('leaves out of the list what stands on something that is missing, and takes it once that has come', async () => {
  const [first, second, third] = (await saidOfThree()) as [Uint8Array, Uint8Array, Uint8Array]
  const index = await open()
  await index.publish([['mine', { ...value, key: 'mine' }]])
  const before = Y.encodeStateAsUpdate(index.doc)
  expect(await index.receive(third, 'them')).toBe(true)
  expect(Y.encodeStateAsUpdate(index.doc)).toEqual(before)
  expect(await index.receive(first, 'them')).toBe(false)
  expect(await index.receive(Y.mergeUpdates([second, third]), 'them')).toBe(false)
  expect([...index.entries().keys()].sort()).toEqual(['a', 'b', 'c', 'mine'])
})

it('leaves out of the list deletions of what is missing', async () => {
  const other = await open()
  await other.publish([['a', value]])
  const deletion = new Promise<Uint8Array>((resolve) => other.doc.on('update', resolve))
  await other.forget(new Set(['a']))
  const index = await open()
  const before = Y.encodeStateAsUpdate(index.doc)
  expect(await index.receive(await deletion, 'them')).toBe(true)
  expect(Y.encodeStateAsUpdate(index.doc)).toEqual(before)
})

it('leaves such things out of a list that an earlier run kept', async () => {
  const [first, , third] = (await saidOfThree()) as [Uint8Array, Uint8Array, Uint8Array]
  const index = await openIndexDocument({
    name: 'index',
    codec: plainCodec.index,
    now: () => 1,
    onChange: () => undefined,
    state: Y.mergeUpdates([first, third]),
  })
  expect(index.doc.store.pendingStructs).toBeNull()
  expect([...index.entries().keys()]).toEqual(['a'])
})

it('leaves out at once what many wait with, and takes what else came with it', async () => {
  const [first] = (await saidOfThree()) as [Uint8Array]
  const encoder = encoding.createEncoder()
  // So many that work for each pair of them would not end before the test's time is over.
  const count = 200_000
  encoding.writeVarUint(encoder, count)
  for (let client = 1_000 + count; client > 1_000; client--) {
    for (const number of [1, client, 0]) encoding.writeVarUint(encoder, number)
    encoding.writeUint8(encoder, 0x88)
    for (const number of [client - 1, 0, 1]) encoding.writeVarUint(encoder, number)
    encoding.writeAny(encoder, 'x')
  }
  encoding.writeVarUint(encoder, 0)
  const index = await open()
  const update = Y.mergeUpdates([encoding.toUint8Array(encoder), first])
  expect(await index.receive(update, 'them')).toBe(true)
  expect([...index.entries().keys()]).toEqual(['a'])
  expect(index.doc.store.pendingStructs).toBeNull()
})

it('syncs through a server that sends such things each time, says so once, and sends them to nobody', async () => {
  const hub = createHub()
  const [, , third] = (await saidOfThree()) as [Uint8Array, Uint8Array, Uint8Array]
  Y.applyUpdate(hub.document('me/index'), third)
  expect(hub.document('me/index').store.pendingStructs).not.toBeNull()
  const device = createDevice()
  onTestFinished(() => device.close())
  let asked = 0
  const transport = hub.transport()
  const sync = await device.sync({
    transport: {
      ...transport,
      open: (link) => {
        const connection = transport.open(link)
        if (!link.name.endsWith('/index')) return connection
        return { ...connection, ask: () => (asked++, connection.ask()) }
      },
    },
  })
  await device.store.addMessage('s', 'user', 'hello')
  await vi.waitFor(() => expect([sync.status().state, sync.session('s')]).toEqual(['synced', 'synced']), soon)
  await vi.waitFor(
    () =>
      expect(sync.status().report.quarantined).toEqual([
        { key: '', reason: 'an update of the list depends on something that nobody sends' },
      ]),
    soon,
  )
  const before = asked
  await sync.syncNow()
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect([asked - before, before]).toEqual([0, expect.any(Number)])
  expect(before).toBeLessThan(6)
  expect(sync.status().report.quarantinedCount).toBe(1)
})
