import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type * as Y from 'yjs'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { drawRootKey } from '../../src/sync/encryption/root-key.ts'
import { sealedDocumentId } from '../../src/sync/encryption/sealed-document-id.ts'
import { openSyncKeys, type SyncKeys } from '../../src/sync/encryption/sync-keys.ts'
import type { SyncTransport } from '../../src/sync/link.ts'
import type { Sync } from '../../src/sync/sync-contract.ts'
import type { RelayStore } from '../../src/sync/transports/relay/relay-store.ts'
import { relayTransport } from '../../src/sync/transports/relay/relay-transport.ts'
import { createHub, type Hub } from './hub.ts'
import { newDevice } from './synced-device.ts'

let first: SyncKeys
let second: SyncKeys
beforeAll(async () => {
  ;[first, second] = await Promise.all([openSyncKeys(drawRootKey(), 'me'), openSyncKeys(drawRootKey(), 'me')])
})

const soon = { timeout: 20_000, interval: 5 }
const texts = async (store: SessionStore, key = 's'): Promise<readonly unknown[]> =>
  (await store.getHistory(key)).map(({ content }) => content)
const livingIn = (doc: Y.Doc): number =>
  [...doc.share.keys()].reduce((count, name) => count + doc.getArray(name).length, 0)
const documentOf = async (hub: Hub, keys: SyncKeys, life = ''): Promise<Y.Doc> =>
  hub.document(`me/s/${await sealedDocumentId('s', keys)}${life}`)
const keptIn = async (store: SessionStore): Promise<readonly string[]> =>
  (await store.listSessions({ deleted: true })).sessions.filter(({ kept }) => kept).map(({ key }) => key)

/** Two devices with a session that one of them purged while the other had more of it, unsent. */
async function purgedElsewhere(hub: Hub): Promise<{
  readonly [name in 'a' | 'b']: { readonly store: SessionStore; readonly sync: Sync }
}> {
  const [a, b] = [newDevice(), newDevice()]
  await a.store.addMessage('s', 'user', 'old words')
  const one = await a.sync({ transport: hub.transport(), keys: first })
  await one.syncNow()
  const two = await b.sync({ transport: hub.transport(), keys: first })
  await two.syncNow()
  await two.pause()
  await b.store.addMessage('s', 'user', 'only on b')
  await a.store.purge('s')
  return { a: { store: a.store, sync: one }, b: { store: b.store, sync: two } }
}

/** The same, after it was brought back and is in its second life on both. */
async function broughtBack(hub: Hub): ReturnType<typeof purgedElsewhere> {
  const devices = await purgedElsewhere(hub)
  const { a, b } = devices
  await a.sync.syncNow()
  b.sync.resume()
  await b.sync.syncNow()
  await vi.waitFor(async () => expect(await keptIn(b.store)).toEqual(['s']), soon)
  await b.store.undelete('s')
  await b.sync.syncNow()
  await vi.waitFor(async () => {
    await a.sync.syncNow()
    expect(await texts(a.store)).toEqual(['old words', 'only on b'])
  }, soon)
  return devices
}

describe('a change of keys', () => {
  it('brings back nothing that was purged here and not reported yet', async () => {
    const hub = createHub()
    const a = newDevice()
    await a.store.addMessage('s', 'user', 'old words')
    const one = await a.sync({ transport: hub.transport(), keys: first })
    await one.syncNow()
    await one.pause()
    await a.store.purge('s')
    await a.store.addMessage('s', 'user', 'anew')
    expect(await one.changeKeys(second)).toEqual({ moved: ['s'], left: [] })
    expect(await texts(a.store)).toEqual(['anew'])
    one.resume()
    await vi.waitFor(async () => expect(await one.syncNow()).toMatchObject({ state: 'synced' }), soon)
    expect(await texts(a.store)).toEqual(['anew'])
    expect(await keptIn(a.store)).toEqual([])
    const c = newDevice()
    await (await c.sync({ transport: hub.transport(), keys: second })).syncNow()
    expect(await texts(c.store)).toEqual(['anew'])
    expect(livingIn(await documentOf(hub, first))).toBe(0)
    await vi.waitFor(async () => expect(await a.store.listPurges()).toEqual([]), soon)
  })

  it('puts nothing under the new key that another device purged, and takes what that began anew', async () => {
    const hub = createHub()
    const { a, b } = await purgedElsewhere(hub)
    await a.store.addMessage('s', 'user', 'anew')
    await a.sync.syncNow()
    await a.sync.close()
    const moved = await documentOf(hub, second)
    let most = 0
    moved.on('update', () => (most = Math.max(most, livingIn(moved))))
    expect(await b.sync.changeKeys(second)).toEqual({ moved: ['s'], left: [] })
    expect(most).toBe(1)
    expect(await texts(b.store)).toEqual(['anew'])
    expect(await keptIn(b.store)).toEqual([expect.stringMatching(/^s.+/)])
    b.sync.resume()
    expect((await b.sync.syncNow()).state).toBe('synced')
    const c = newDevice()
    await (await c.sync({ transport: hub.transport(), keys: second })).syncNow()
    expect(await texts(c.store)).toEqual(['anew'])
    expect(livingIn(await documentOf(hub, first))).toBe(0)
  })

  it('takes along a session in a later life, also what only the server has of it, and leaves nothing under the old key', async () => {
    const hub = createHub()
    const { a, b } = await broughtBack(hub)
    await a.sync.pause()
    await b.store.addMessage('s', 'user', 'late of b')
    await b.sync.syncNow()
    await b.sync.close()
    expect(await a.sync.changeKeys(second)).toEqual({ moved: ['s'], left: [] })
    expect(await texts(a.store)).toEqual(['old words', 'only on b', 'late of b'])
    for (const life of ['', '-1']) expect(livingIn(await documentOf(hub, first, life)), `life ${life}`).toBe(0)
    const c = newDevice()
    expect((await (await c.sync({ transport: hub.transport(), keys: second })).syncNow()).state).toBe('synced')
    expect(await texts(c.store)).toEqual(['old words', 'only on b', 'late of b'])
    a.sync.resume()
    expect((await a.sync.syncNow()).state).toBe('synced')
    expect((await a.sync.unsent()).sessions).toEqual([])
  })
})

describe('a change of keys, at any size and in any state,', () => {
  it('tells the life in which a session is moved, though the list does not know it yet', async () => {
    const hub = createHub()
    const { a, b } = await purgedElsewhere(hub)
    await a.sync.syncNow()
    b.sync.resume()
    await b.sync.syncNow()
    await vi.waitFor(async () => expect(await keptIn(b.store)).toEqual(['s']), soon)
    await b.sync.pause()
    await b.store.undelete('s')
    expect(await b.sync.changeKeys(second)).toEqual({ moved: ['s'], left: [] })
    await b.sync.close()
    const c = newDevice()
    expect((await (await c.sync({ transport: hub.transport(), keys: second })).syncNow()).state).toBe('synced')
    expect(await texts(c.store)).toEqual(['old words', 'only on b'])
  })

  it('ends with many sessions over a connection that asks one question at a time', async () => {
    const hub = createHub()
    const a = newDevice()
    const keys = Array.from({ length: 64 }, (_, i) => `s${i}`)
    for (const key of keys) await a.store.addMessage(key, 'user', key)
    const plain = hub.transport()
    const transport: SyncTransport = {
      ...plain,
      open: (link) => {
        let isAsking = false
        const connection = plain.open({
          ...link,
          peerHas: (vector) => {
            isAsking = false
            link.peerHas(vector)
          },
        })
        return {
          close: connection.close,
          ask: () => {
            if (isAsking) return
            isAsking = true
            setTimeout(connection.ask, 1)
          },
        }
      },
    }
    const sync = await a.sync({ transport, keys: first })
    await sync.syncNow()
    const { moved, left } = await sync.changeKeys(second)
    expect([[...moved].sort(), left]).toEqual([[...keys].sort(), []])
  })
})

describe('a change of keys does not wait for ever', () => {
  it('over a relay, where nothing is new and a life of a session has no files', async () => {
    const files = new Map<string, Uint8Array<ArrayBuffer>>()
    const store: RelayStore = {
      put: async (path, bytes) => void files.set(path, bytes.slice()),
      get: async (path) => files.get(path),
      list: async (prefix) => [...files.keys()].filter((path) => path.startsWith(prefix)),
      remove: async (path) => void files.delete(path),
    }
    const over = (device: string): SyncTransport => {
      const transport = relayTransport({ store, pollMs: 20, device })
      onTestFinished(() => transport.close())
      return transport
    }
    const a = newDevice()
    await a.store.addMessage('s', 'user', 'hello')
    await a.store.addMessage('t', 'user', 'brought back twice')
    const one = await a.sync({ transport: over('phone'), keys: first })
    await one.syncNow()
    await a.store.delete('t')
    await a.store.undelete('t', { life: 2 })
    await one.syncNow()
    const { moved, left } = await one.changeKeys(second)
    expect([[...moved].sort(), left]).toEqual([['s', 't'], []])
    await vi.waitFor(() => expect(one.status().state).toBe('synced'), soon)
    const b = newDevice()
    await b.sync({ transport: over('laptop'), keys: second })
    await vi.waitFor(
      async () =>
        expect([await texts(b.store), await texts(b.store, 't')]).toEqual([['hello'], ['brought back twice']]),
      soon,
    )
  })

  it('among peers, where it is refused, and sync goes on with the old key', async () => {
    const a = newDevice()
    const hub = createHub()
    const sync = await a.sync({ transport: { ...hub.transport(), onAsked: () => () => undefined }, keys: first })
    await expect(sync.changeKeys(second)).rejects.toMatchObject({
      name: 'InvalidInput',
      message: expect.stringMatching(/sign out/i),
    })
    expect(sync.status().state).toBe('connecting')
  })

  it('for an entry behind one that was purged', async () => {
    const hub = createHub()
    const [a, b] = [newDevice(), newDevice()]
    await a.store.addMessage('s', 'user', 'a0')
    const one = await a.sync({ transport: hub.transport(), keys: first })
    await one.syncNow()
    let isDeaf = false
    const plain = hub.transport()
    const deaf: SyncTransport = {
      ...plain,
      open: (link) =>
        plain.open(
          link.name.endsWith('/index')
            ? { ...link, receive: async (update, origin) => (isDeaf ? undefined : link.receive(update, origin)) }
            : link,
        ),
    }
    const two = await b.sync({ transport: deaf, keys: first })
    await two.syncNow()
    await b.store.addMessage('s', 'user', 'b0')
    await two.syncNow()
    await vi.waitFor(async () => expect(await texts(a.store)).toEqual(['a0', 'b0']), soon)
    isDeaf = true
    await a.store.purge('s')
    await one.syncNow()
    await vi.waitFor(async () => expect(livingIn(await documentOf(hub, first))).toBe(0), soon)
    await b.store.addMessage('s', 'user', 'b1, on its way')
    await vi.waitFor(async () => expect(livingIn(await documentOf(hub, first))).toBe(1), soon)
    await two.close()
    await one.syncNow()
    await a.store.addMessage('s', 'user', 'anew')
    await one.syncNow()
    await vi.waitFor(async () => expect(livingIn(await documentOf(hub, first))).toBe(2), soon)
    await vi.waitFor(() => expect(one.sessions().map(({ key }) => key)).toEqual(['s']), soon)
    expect(await one.changeKeys(second)).toEqual({ moved: ['s'], left: [] })
    expect(await texts(a.store)).toEqual(['anew'])
    expect(livingIn(await documentOf(hub, first))).toBe(0)
  })

  it('for an attachment that never arrives, once it is stopped', async () => {
    const hub = createHub()
    const [a, b] = [newDevice(), newDevice()]
    const hash = await a.store.putBlob(new Blob(['x']))
    await a.store.addMessage('s', 'user', `see blob:${hash}`)
    await (await a.sync({ transport: hub.transport(), keys: first })).syncNow()
    let [isAsked, isFetched] = [false, false]
    const two = await b.sync({ transport: hub.transport(), keys: first })
    await two.syncNow()
    await two.close()
    const blobs = {
      hasBlob: async () => false,
      putBlob: async () => undefined,
      getBlob: () => new Promise<undefined>(() => (isAsked = true)),
    }
    const plain = hub.transport()
    const transport: SyncTransport = {
      ...plain,
      blobs,
      open: (link) => {
        const { ask, close } = plain.open(link)
        const isSession = !link.name.endsWith('/index')
        return { ask, close: () => close().finally(() => (isFetched ||= isSession)) }
      },
    }
    const three = await b.sync({ transport, keys: first, paused: true })
    const changing = expect(three.changeKeys(second)).rejects.toMatchObject({ name: 'Aborted' })
    await vi.waitFor(() => expect([isAsked, isFetched]).toEqual([true, true]), soon)
    await three.close()
    await changing
  })
})
