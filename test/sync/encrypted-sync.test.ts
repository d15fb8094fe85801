import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { WebSocket } from 'ws'
import * as Y from 'yjs'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { drawRootKey } from '../../src/sync/encryption/root-key.ts'
import { sealedDocumentId } from '../../src/sync/encryption/sealed-document-id.ts'
import { openSyncKeys, type SyncKeys } from '../../src/sync/encryption/sync-keys.ts'
import type { BlobTransport, SyncTransport } from '../../src/sync/link.ts'
import type { SyncMemory } from '../../src/sync/sync-memory.ts'
import { hocuspocusTransport } from '../../src/sync/transports/hocuspocus/hocuspocus-transport.ts'
import { spawnSyncServer } from '../support/spawn-sync-server.ts'
import { createHub, type Hub } from './hub.ts'
import { newDevice } from './synced-device.ts'

let first: SyncKeys
let second: SyncKeys
beforeAll(async () => {
  ;[first, second] = await Promise.all([openSyncKeys(drawRootKey(), 'me'), openSyncKeys(drawRootKey(), 'me')])
})

const texts = async (store: SessionStore, key = 's'): Promise<readonly unknown[]> =>
  (await store.getHistory(key)).map(({ content }) => content)
const soon = { timeout: 20_000, interval: 5 }
/** Everything that a hub holds of some documents, as text. */
const bytesOn = (hub: Hub, names: readonly string[]): string =>
  names.map((name) => Buffer.from(Y.encodeStateAsUpdate(hub.document(name))).toString('latin1')).join('\n')
const livingIn = (doc: Y.Doc): number =>
  [...doc.share.keys()].reduce((count, name) => count + doc.getArray(name).length, 0)

describe('encrypted sync', () => {
  it('brings two devices to the same, through a server that can read nothing of it', async () => {
    const hub = createHub()
    const [a, b] = [newDevice(), newDevice()]
    await a.store.addMessage('secret-key', 'user', 'whispered words')
    await b.store.addMessage('secret-key', 'user', 'quiet answer')
    const one = await a.sync({ transport: hub.transport(), keys: first })
    expect((await one.syncNow()).state).toBe('synced')
    const two = await b.sync({ transport: hub.transport(), keys: first })
    expect((await two.syncNow()).state).toBe('synced')
    await vi.waitFor(async () => expect((await texts(a.store, 'secret-key')).length).toBe(2), soon)
    expect(await texts(a.store, 'secret-key')).toEqual(await texts(b.store, 'secret-key'))
    expect(two.sessions().map(({ key }) => key)).toEqual(['secret-key'])
    const held = bytesOn(hub, ['me/index', `me/s/${await sealedDocumentId('secret-key', first)}`])
    expect(held.length).toBeGreaterThan(300)
    for (const word of ['secret-key', 'whispered', 'quiet', 'user', 'message']) expect(held).not.toContain(word)
  })

  it('says that the key is the wrong one, sends and takes nothing, and takes everything with the right one', async () => {
    const hub = createHub()
    const [a, b] = [newDevice(), newDevice()]
    await a.store.addMessage('s', 'user', 'from a')
    await (await a.sync({ transport: hub.transport(), keys: first })).syncNow()
    await b.store.addMessage('mine', 'user', 'from b')
    const before = [bytesOn(hub, ['me/index']), await b.store.getVector('mine')]
    const two = await b.sync({ transport: hub.transport(), keys: second })
    await expect(two.syncNow()).rejects.toMatchObject({ name: 'WrongPassphrase' })
    await b.store.addMessage('mine', 'user', 'more')
    expect(two.status()).toMatchObject({
      state: 'wrongKey',
      message: expect.stringContaining('another key') as string,
      report: { quarantinedCount: 0, sent: 0 },
    })
    expect(bytesOn(hub, ['me/index', `me/s/${await sealedDocumentId('mine', second)}`])).toBe(
      [before[0], bytesOn(hub, ['none'])].join('\n'),
    )
    expect((await b.store.listSessions()).sessions.map(({ key }) => key)).toEqual(['mine'])
    await two.close()
    const again = await b.sync({ transport: hub.transport(), keys: first })
    expect((await again.syncNow()).state).toBe('synced')
    expect(await texts(b.store)).toEqual(['from a'])
    await vi.waitFor(async () => expect(await texts(a.store, 'mine')).toEqual(['from b', 'more']), soon)
  })

  it('uploads nothing in the clear where others encrypt', async () => {
    const hub = createHub()
    const [a, b] = [newDevice(), newDevice()]
    await a.store.addMessage('s', 'user', 'from a')
    await (await a.sync({ transport: hub.transport(), keys: first })).syncNow()
    await b.store.addMessage('plain', 'user', 'in the clear')
    const two = await b.sync({ transport: hub.transport() })
    await expect(two.plan()).rejects.toMatchObject({ name: 'WrongPassphrase' })
    expect(two.status()).toMatchObject({ state: 'wrongKey', message: expect.stringContaining('has no key') as string })
    expect(hub.traffic()).toBeGreaterThan(0)
    expect(bytesOn(hub, ['me/index'])).not.toContain('in the clear')
  })

  it('forgets what it remembered under another key, so that no title goes out with it', async () => {
    const hub = createHub()
    const a = newDevice()
    let kept: Awaited<ReturnType<SyncMemory['load']>>
    const memory: SyncMemory = { load: async () => kept, save: async (state) => void (kept = state) }
    await a.store.addMessage('s', 'user', 'a telling title')
    const plain = await a.sync({ transport: hub.transport(), memory })
    await plain.syncNow()
    await plain.close()
    const other = createHub()
    await (await a.sync({ transport: other.transport(), memory, keys: first })).syncNow()
    expect(bytesOn(other, ['me/index'])).not.toContain('a telling title')
  })

  it('tells of devices that use yet another key', async () => {
    const hub = createHub()
    const [a, b] = [newDevice(), newDevice()]
    // Both begin at the same time.
    const [one, two] = [
      await a.sync({ transport: hub.transport(), keys: first, paused: true }),
      await b.sync({ transport: hub.transport(), keys: second, paused: true }),
    ]
    await one.plan()
    await two.plan()
    one.resume()
    two.resume()
    await vi.waitFor(
      () =>
        expect([one.status().report.notices.join(), two.status().report.notices.join()]).toEqual([
          expect.stringContaining(second.id),
          expect.stringContaining(first.id),
        ]),
      soon,
    )
    expect([one.status().state, two.status().state]).not.toContain('wrongKey')
  })

  it('leaves a session alone whose entries are sealed with another key, and syncs the others', async () => {
    const hub = createHub()
    const a = newDevice()
    await a.store.addMessage('s', 'user', 'one')
    await a.store.addMessage('t', 'user', 'two')
    const transport = hub.transport()
    const opened: string[] = []
    const one = await a.sync({
      transport: { ...transport, open: (link) => (opened.push(link.name), transport.open(link)) },
      keys: first,
    })
    await one.syncNow()
    const name = `me/s/${await sealedDocumentId('s', first)}`
    const foreign = hub.document(name)
    foreign.clientID = 77
    foreign.getArray(`w:${(77).toString(36)}`).push([new Uint8Array(60).fill(1)])
    await vi.waitFor(() => expect([one.session('s'), one.status().state]).toEqual(['wrongKey', 'error']), soon)
    await a.store.addMessage('t', 'user', 'three')
    await vi.waitFor(() => expect([one.session('t'), one.status().pending]).toEqual(['synced', 0]), soon)
    expect(one.status().report.quarantinedCount).toBe(0)
    expect(await texts(a.store)).toEqual(['one'])
    // It is not asked for again, not even when it has changed.
    opened.length = 0
    await a.store.addMessage('s', 'user', 'more')
    hub.down()
    hub.up()
    await vi.waitFor(
      () => expect([opened.includes('me/index'), one.status().state, one.status().pending]).toEqual([true, 'error', 0]),
      soon,
    )
    expect(opened).not.toContain(name)
  })

  it('refuses keys of another namespace', async () => {
    await expect(
      newDevice().sync({ transport: createHub().transport(), keys: await openSyncKeys(drawRootKey(), 'other') }),
    ).rejects.toMatchObject({ name: 'InvalidInput' })
  })
})

describe('a change of keys over a transport', () => {
  it('puts all under the new key, empties the rest, and stops devices that have the old one', async () => {
    const hub = createHub()
    const [a, b, c] = [newDevice(), newDevice(), newDevice()]
    for (const key of ['s', 't', 'gone']) await a.store.addMessage(key, 'user', `in ${key}`)
    const one = await a.sync({ transport: hub.transport(), keys: first })
    await one.syncNow()
    await a.store.purge('gone')
    const two = await b.sync({ transport: hub.transport(), keys: first })
    await two.syncNow()
    // Comes to the server under the old key, and is here only when it was fetched.
    await one.pause()
    await b.store.addMessage('s', 'user', 'from b')
    await b.store.addMessage('only b', 'user', 'hello')
    await two.syncNow()
    const seen: number[] = []
    const report = await one.changeKeys(second, { onProgress: ({ done }) => seen.push(done) })
    expect({ ...report, moved: [...report.moved].sort() }).toEqual({ moved: ['gone', 'only b', 's', 't'], left: [] })
    expect(seen).toEqual([1, 2, 3, 4])
    one.resume()
    expect((await one.syncNow()).state).toBe('synced')
    await vi.waitFor(
      () =>
        expect(two.status()).toMatchObject({
          state: 'wrongKey',
          message: expect.stringContaining('was changed') as string,
        }),
      soon,
    )
    for (const key of ['s', 't', 'only b'])
      expect(livingIn(hub.document(`me/s/${await sealedDocumentId(key, first)}`)), key).toBe(0)
    const third = await c.sync({ transport: hub.transport(), keys: second })
    expect((await third.syncNow()).state).toBe('synced')
    expect([(await texts(c.store)).length, await texts(c.store, 'only b'), await c.store.getMeta('gone')]).toEqual([
      2,
      ['hello'],
      undefined,
    ])
    await two.close()
    await b.store.addMessage('t', 'user', 'late')
    expect((await (await b.sync({ transport: hub.transport(), keys: second })).syncNow()).state).toBe('synced')
    await vi.waitFor(async () => expect(await texts(a.store, 't')).toEqual(['in t', 'late']), soon)
  })

  it('is gone on with after it was stopped', async () => {
    const hub = createHub()
    const a = newDevice()
    for (let i = 0; i < 12; i++) await a.store.addMessage(`s${i}`, 'user', `in ${i}`)
    const one = await a.sync({ transport: hub.transport(), keys: first })
    await one.syncNow()
    const stop = new AbortController()
    await expect(one.changeKeys(second, { signal: stop.signal, onProgress: () => stop.abort() })).rejects.toMatchObject(
      { name: 'Aborted' },
    )
    await vi.waitFor(() => expect(one.status().state).toBe('wrongKey'), soon)
    const report = await one.changeKeys(second)
    expect(report.left).toEqual([])
    expect(report.moved.length).toBeGreaterThan(0)
    expect((await one.syncNow()).state).toBe('synced')
    for (let i = 0; i < 12; i++)
      expect(livingIn(hub.document(`me/s/${await sealedDocumentId(`s${i}`, first)}`))).toBe(0)
  })

  it('takes along attachments that are only on the server', async () => {
    const hub = createHub()
    const held = new Map<string, Blob>()
    const blobs: BlobTransport = {
      hasBlob: async (_, name) => held.has(name),
      putBlob: async (_, name, bytes) => void held.set(name, bytes),
      getBlob: (_, name) => new Promise((resolve) => setTimeout(() => resolve(held.get(name)), 20)),
    }
    const over = (): SyncTransport => ({ ...hub.transport(), blobs })
    const [a, b, c] = [newDevice(), newDevice(), newDevice()]
    const hash = await a.store.putBlob(new Blob(['a picture']))
    await a.store.addMessage('s', 'user', `see blob:${hash}`)
    const one = await a.sync({ transport: over(), keys: first })
    await one.syncNow()
    await one.close()
    // It has the session, and nothing of the picture.
    const two = await b.sync({ transport: hub.transport(), keys: first })
    await two.syncNow()
    await two.close()
    expect(await b.store.getBlob(hash)).toBeUndefined()
    const three = await b.sync({ transport: over(), keys: first })
    expect((await three.changeKeys(second)).left).toEqual([])
    await (await c.sync({ transport: over(), keys: second })).syncNow()
    await vi.waitFor(async () => expect(await (await c.store.getBlob(hash))?.text()).toBe('a picture'), soon)
    expect([...held.keys()].filter((name) => !name.startsWith('sealed-'))).toEqual([])
  })

  it('is refused from a key that is not in use', async () => {
    const hub = createHub()
    const [a, b] = [newDevice(), newDevice()]
    await a.store.addMessage('s', 'user', 'one')
    await (await a.sync({ transport: hub.transport(), keys: first })).syncNow()
    const before = bytesOn(hub, ['me/index'])
    const two = await b.sync({ transport: hub.transport(), keys: second })
    await expect(two.changeKeys(await openSyncKeys(drawRootKey(), 'me'))).rejects.toMatchObject({
      name: 'WrongPassphrase',
    })
    expect(bytesOn(hub, ['me/index'])).toBe(before)
  })

  it('ends with the sync that it belongs to', async () => {
    const hub = createHub()
    const a = newDevice()
    const one = await a.sync({ transport: hub.transport(), keys: first })
    await one.syncNow()
    hub.down()
    const changing = one.changeKeys(second)
    await Promise.all([expect(changing).rejects.toMatchObject({ name: 'Aborted' }), one.close()])
  })
})

it('syncs through the real server what that can not read: texts, titles, keys and attachments, before and after a change of keys', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'encrypted-sync-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const server = await spawnSyncServer({ data: folder, secret: 'a secret of many letters' })
  onTestFinished(() => server.kill())
  const transportOf = (): ReturnType<typeof hocuspocusTransport> => {
    const transport = hocuspocusTransport({ url: server.url, token: () => 'a secret of many letters', WebSocket })
    onTestFinished(() => transport.close())
    return transport
  }
  const [a, b, c] = [newDevice(), newDevice(), newDevice()]
  const hash = await a.store.putBlob(new Blob(['a picture of words']))
  await a.store.append('secret-key', [
    {
      type: 'message',
      message: {
        role: 'user',
        content: [
          { type: 'text', text: 'whispered' },
          { type: 'image', blob: hash },
        ],
      },
    },
  ] as never)
  const one = await a.sync({ transport: transportOf(), keys: first })
  expect((await one.syncNow()).report.blobs).toEqual({ sent: 1, received: 0, missing: 0 })
  const two = await b.sync({ transport: transportOf(), keys: first })
  expect((await two.syncNow()).state).toBe('synced')
  await vi.waitFor(async () => expect(await (await b.store.getBlob(hash))?.text()).toBe('a picture of words'), soon)
  expect(await texts(b.store, 'secret-key')).toEqual(await texts(a.store, 'secret-key'))
  expect(await one.changeKeys(second)).toEqual({ moved: ['secret-key'], left: [] })
  expect((await one.syncNow()).state).toBe('synced')
  await vi.waitFor(() => expect(two.status().state).toBe('wrongKey'), soon)
  const three = await c.sync({ transport: transportOf(), keys: second })
  expect((await three.syncNow()).state).toBe('synced')
  await vi.waitFor(async () => expect(await (await c.store.getBlob(hash))?.text()).toBe('a picture of words'), soon)
  await server.stop()
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((file) => file.isFile())
  const held = await Promise.all(
    files.map(async (file) => `${file.name}\n${(await readFile(join(file.parentPath, file.name))).toString('latin1')}`),
  )
  expect(held.join('').length).toBeGreaterThan(500)
  for (const word of ['secret-key', 'whispered', 'a picture of words', hash])
    expect(held.join('\n')).not.toContain(word)
})
