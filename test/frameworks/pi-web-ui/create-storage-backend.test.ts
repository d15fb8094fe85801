import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createStorageBackend } from '../../../src/adapters/pi-web-ui/create-storage-backend.ts'
import type { PiStorageBackend } from '../../../src/adapters/pi-web-ui/storage-types.ts'
import type { SessionClient } from '../../../src/client/client-contract.ts'
import { createProfile, type Profile } from '../../client/support/open-port-client.ts'
// The package exports its stores along with all of its components, which need a browser and many packages.
import { SessionsStore } from '../node_modules/@mariozechner/pi-web-ui/dist/storage/stores/sessions-store.js'
import { SettingsStore } from '../node_modules/@mariozechner/pi-web-ui/dist/storage/stores/settings-store.js'

let profile: Profile
let client: SessionClient
let backend: PiStorageBackend
const clients: SessionClient[] = []
async function open(): Promise<SessionClient> {
  const opened = await profile.open({ name: 'pi' })
  clients.push(opened)
  return opened
}
beforeEach(async () => {
  profile = createProfile()
  client = await open()
  backend = createStorageBackend(client)
})
afterEach(async () => {
  for (const one of clients.splice(0)) await one.close()
  vi.unstubAllGlobals()
})

const rows = async (): Promise<readonly string[]> =>
  (await client.collection('pi-web-ui').range()).rows.map(({ key }) => key)

/** A session of pi-web-ui, changed at a time. */
const sessionAt = (id: string, lastModified: string, text = 'Hello') => ({
  data: {
    id,
    title: id,
    model: null as never,
    thinkingLevel: 'off' as const,
    messages: [{ role: 'user', content: text, timestamp: 1 } as never],
    createdAt: '2026-11-27T00:00:00.000Z',
    lastModified,
  },
  metadata: { id, title: id, lastModified } as never,
})

describe("pi-web-ui's own stores", () => {
  let sessions: SessionsStore
  beforeEach(() => {
    sessions = new SessionsStore()
    sessions.setBackend(backend)
  })

  it('keep sessions, list them newest first, rename and delete them', async () => {
    for (const [id, day] of [
      ['b', 2],
      ['c', 3],
      ['a', 1],
    ] as const) {
      const { data, metadata } = sessionAt(id, `2026-11-0${day}T00:00:00.000Z`)
      await sessions.save(data, metadata)
    }
    await sessions.updateTitle('b', 'Renamed')
    await sessions.delete('c')
    expect(await sessions.getAllMetadata()).toMatchObject([{ id: 'b', title: 'Renamed' }, { id: 'a' }])
    expect(await sessions.get('b')).toMatchObject({ title: 'Renamed', messages: [{ content: 'Hello' }] })
    expect(await sessions.get('c')).toBeNull()
    expect(await sessions.getLatestSessionId()).toBe('b')
  })

  it('keep settings', async () => {
    const settings = new SettingsStore()
    settings.setBackend(backend)
    await settings.set('proxy.enabled', true)
    await settings.set('proxy.url', 'https://example.org')
    expect(await settings.get('proxy.enabled')).toBe(true)
    expect(await settings.list()).toEqual(['proxy.enabled', 'proxy.url'])
    await settings.clear()
    expect(await settings.list()).toEqual([])
  })

  it('share what they have with other tabs', async () => {
    const other = new SessionsStore()
    other.setBackend(createStorageBackend(await open()))
    const { data, metadata } = sessionAt('a', '2026-11-01T00:00:00.000Z')
    await sessions.save(data, metadata)
    expect(await other.get('a')).toEqual(data)
  })
})

it('keeps stores apart, whatever slashes their names and keys have', async () => {
  await backend.set('a', 'b/c', 1)
  await backend.set('a/b', 'c', 2)
  expect([await backend.get('a', 'b/c'), await backend.get('a/b', 'c')]).toEqual([1, 2])
  expect([await backend.keys('a'), await backend.keys('a/b')]).toEqual([['b/c'], ['c']])
  await backend.clear('a')
  expect([await backend.has('a', 'b/c'), await backend.has('a/b', 'c')]).toEqual([false, true])
})

it('gives null for what is not there, and every other value as it was', async () => {
  expect(await backend.get('s', 'none')).toBeNull()
  const values = [null, false, 0, '', [], { when: new Date(0), bytes: new Uint8Array([1, 2]), deep: [{ $date: 'x' }] }]
  for (const [i, value] of values.entries()) {
    await backend.set('s', `${i}`, value)
    expect(await backend.get('s', `${i}`)).toEqual(value)
  }
})

it('keeps a value of any size, and none of it when it is replaced or deleted', async () => {
  // 24 MB in UTF-8, which no row could hold, with a character on the edge of each piece.
  const large = '日本'.repeat(4_000_000)
  await backend.set('s', 'k', large)
  expect((await rows()).length).toBe(4)
  expect((await backend.get<string>('s', 'k')) === large).toBe(true)
  expect(await backend.keys('s')).toEqual(['k'])
  await backend.set('s', 'k', 'x'.repeat(70_000))
  expect((await rows()).length).toBe(2)
  await backend.set('s', 'k', 'small')
  expect(await rows()).toEqual(['s/k'])
  await backend.set('s', 'k', 'x'.repeat(70_000))
  await backend.delete('s', 'k')
  expect(await rows()).toEqual([])
})

it('writes one value after the other where Web Locks are refused', async () => {
  const refuse = () => Promise.reject(new DOMException('This origin has no locks.', 'SecurityError'))
  vi.stubGlobal('navigator', { locks: { request: refuse, query: refuse } })
  const values = [1, 2, 3].map((n) => `${n}`.repeat(100_000))
  await Promise.all(values.map((value) => backend.set('files', 'a', value)))
  expect(await backend.get('files', 'a')).toBe(values[2])
  await backend.delete('files', 'a')
  expect(await rows()).toEqual([])
})

it('reads what another tab replaces meanwhile as it was before or after, and nothing between', async () => {
  const other = createStorageBackend(await open())
  const value = (i: number) => Array.from({ length: 100 }, () => `${i}`.repeat(1000))
  await backend.set('s', 'k', value(0))
  let isOver = false
  const writing = (async () => {
    for (let i = 1; i < 10; i++) await other.set('s', 'k', value(i))
  })().finally(() => (isOver = true))
  while (!isOver) expect(new Set(await backend.get<string[]>('s', 'k')).size).toBe(1)
  await writing
  expect((await rows()).length).toBe(2)
})

it('says which value can not be read, and lists the others', async () => {
  await backend.set('s', 'broken', { at: 1, text: 'x'.repeat(70_000) })
  await backend.set('s', 'whole', { at: 2 })
  const piece = (await rows()).find((key) => key.startsWith('/'))!
  await client.collection('pi-web-ui').write([{ type: 'delete', key: piece }])
  await expect(backend.get('s', 'broken')).rejects.toMatchObject({ name: 'ChecksumMismatch' })
  expect(await backend.getAllFromIndex('s', 'at')).toEqual([{ at: 2 }])
})

it('writes over and deletes what can not be read', async () => {
  await backend.set('s', 'whole', 1)
  // Not what this adapter writes.
  const strange = ['a', 'b', 'c'].map((key) => ({ type: 'put', key: `s/${key}`, value: 7 }) as const)
  await client.collection('pi-web-ui').write(strange)
  await expect(backend.get('s', 'a')).rejects.toMatchObject({ name: 'ChecksumMismatch' })
  await backend.transaction(['s'], 'readwrite', async (tx) => {
    await tx.set('s', 'a', 'new')
    await tx.delete('s', 'b')
  })
  expect([await backend.get('s', 'a'), await backend.has('s', 'b')]).toEqual(['new', false])
  await backend.clear('s')
  expect(await rows()).toEqual([])
})

it('refuses what is not JSON, a Date or bytes, and empty names', async () => {
  await expect(backend.set('s', 'k', new Map())).rejects.toMatchObject({ name: 'InvalidInput' })
  await expect(backend.set('s', '', 1)).rejects.toMatchObject({ name: 'InvalidInput' })
  await expect(backend.get('', 'k')).rejects.toMatchObject({ name: 'InvalidInput' })
  expect(await rows()).toEqual([])
})

describe('a transaction', () => {
  it('stores what it wrote in one commit, and reads its own writes', async () => {
    await backend.set('a', 'old', 1)
    let commits = 0
    client.subscribe(({ type }) => type === 'collection' && commits++)
    const found = await backend.transaction(['a', 'b'], 'readwrite', async (tx) => {
      await tx.set('a', 'new', { n: 1 })
      await tx.set('b', 'new', 2)
      await tx.delete('a', 'old')
      const read = await tx.get<{ n: number }>('a', 'new')
      read!.n = 99
      return [await tx.get('a', 'new'), await tx.get('a', 'old'), await backend.get('a', 'new')]
    })
    expect(found).toEqual([{ n: 1 }, null, null])
    expect([await backend.get('a', 'new'), await backend.get('b', 'new'), await backend.get('a', 'old')]).toEqual([
      { n: 1 },
      2,
      null,
    ])
    expect(commits).toBe(1)
  })

  it('stores nothing when it fails', async () => {
    const failing = backend.transaction(['a'], 'readwrite', async (tx) => {
      await tx.set('a', 'k', 1)
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await rows()).toEqual([])
  })

  it('touches only the stores that it names, and changes nothing when it only reads', async () => {
    await expect(backend.transaction(['a'], 'readwrite', (tx) => tx.set('b', 'k', 1))).rejects.toMatchObject({
      name: 'InvalidInput',
    })
    await expect(backend.transaction(['a'], 'readonly', (tx) => tx.delete('a', 'k'))).rejects.toMatchObject({
      name: 'InvalidInput',
    })
  })
})

it('orders values by an index as IndexedDB does', async () => {
  const places = ['b', 2, 'a', new Date(5), 10, undefined, new Date(1), '', true, 'a']
  for (const [i, at] of places.entries()) await backend.set('s', `${i}`, { i, deep: { at } })
  const indexed = createStorageBackend(client, {
    stores: [{ name: 's', indices: [{ name: 'place', keyPath: 'deep.at' }] }],
  })
  const order = async (direction?: 'asc' | 'desc') =>
    (await indexed.getAllFromIndex<{ i: number }>('s', 'place', direction)).map(({ i }) => i)
  expect(await order()).toEqual([1, 4, 6, 3, 7, 2, 9, 0])
  expect(await order('desc')).toEqual([0, 9, 2, 7, 3, 6, 4, 1])
})

it('gives figures of the room there is, and asks to keep the data', async () => {
  expect(await backend.getQuotaInfo()).toEqual({ usage: 0, quota: 0, percent: 0 })
  expect(await backend.requestPersistence()).toBe(false)
})
