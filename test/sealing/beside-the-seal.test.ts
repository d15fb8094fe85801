import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { beforeEach, describe, expect, it } from 'vitest'
import type { ColdRow, HotRow } from '../../src/contract/rows.ts'
import { blobName } from '../../src/mirror/mirror-names.ts'
import { formats } from '../../src/storage/indexeddb/formats.ts'
import { openIndexedDbBackend } from '../../src/storage/indexeddb/indexeddb-backend.ts'
import {
  type DatabaseInfo,
  type DetailsRow,
  infoKey,
  type StoreName,
  sealedFormat,
} from '../../src/storage/indexeddb/schema.ts'
import { changeStore } from '../storage/damage-indexeddb.ts'
import { restoreDatabase } from '../storage/formats/database-dump.ts'
import { fixtures } from '../storage/formats/fixtures.ts'
import { allText } from './support/all-text.ts'
import { secret, writeRichSession } from './support/rich-session.ts'
import { createSealedDevice, drawKey, type SealedStore } from './support/sealed-device.ts'

const say = (text: string) => ({ type: 'message', message: { role: 'user', content: text } }) as const

let device: ReturnType<typeof createSealedDevice>
let sealed: SealedStore

beforeEach(async () => {
  device = createSealedDevice()
  sealed = await device.open({ key: await drawKey() })
})

const mirrored = (): string =>
  [...device.folder.files.values()].map((bytes) => new TextDecoder('latin1').decode(bytes)).join('\n')
const texts = async (key: string): Promise<unknown[]> =>
  (await sealed.store.read(key, { limit: 100 })).entries.map(({ message }) => message?.['content'])

/** Changes a letter in the middle of what is sealed in the only row of a store. */
async function spoil(name: StoreName): Promise<void> {
  const [row] = await sealed.backend.readRows(name, undefined, 1)
  const value = row!.value as { readonly sealed: string }
  const at = value.sealed.length >> 1
  const letter = value.sealed[at] === 'A' ? 'B' : 'A'
  await sealed.backend.replaceRow(name, row!, {
    ...value,
    sealed: value.sealed.slice(0, at) + letter + value.sealed.slice(at + 1),
  })
}

describe("rows that can't be opened any more", () => {
  it.each([
    ['hot', ['sessions']],
    ['cold', ['details']],
    ['both', ['sessions', 'details']],
  ] as const)('are made again from the entries, and sealed: %s', async (_, names) => {
    await sealed.store.append('s', [say(`one ${secret}`), say('two')])
    for (const name of names) await spoil(name)
    expect((await sealed.store.listSessions({})).sessions.map(({ key }) => key)).toEqual(['s'])
    expect(await texts('s')).toEqual([`one ${secret}`, 'two'])
    await sealed.store.append('s', [say('three')])
    expect(await texts('s')).toHaveLength(3)
    expect((await sealed.store.verify('s')).problems).toEqual([])
    expect(await allText(device.factory())).not.toContain(secret)
    const [hot] = await sealed.backend.readRows('sessions', undefined, 1)
    expect(Object.keys(hot!.value as HotRow).sort()).toEqual(['key', 'sealed', 'session', 'version'])
  })

  it('are left alone by a tab that has no key', async () => {
    await sealed.store.append('s', [say('one')])
    await spoil('sessions')
    await expect(device.openPlain()).rejects.toMatchObject({ name: 'WrongPassphrase' })
  })
})

it('keeps the key of its session beside a cold row that is sealed anew', async () => {
  await sealed.store.append('s', [say('one')])
  await sealed.reseal({ rotate: true })
  const [row] = await sealed.backend.readRows('details', undefined, 1)
  expect(Object.keys(row!.value as ColdRow & DetailsRow).sort()).toEqual([
    'key',
    'lanes',
    'purged',
    'sealed',
    'version',
  ])
  await sealed.reseal({ to: null, rotate: false })
  expect((await sealed.backend.readRows('details', undefined, 1))[0]!.value).toMatchObject({
    key: 's',
    lanes: {},
    vv: {},
  })
})

it('takes what was compacted out of the mirror', async () => {
  await sealed.store.append('s', [say('gone')])
  await sealed.store.setHistory('s', [])
  await sealed.store.append('s', [say('stays')])
  const before = mirrored()
  const [record] = (await sealed.backend.readRecords(undefined, 10)).filter(({ key }) => key[1] === 0)
  const letters = (record!.entries![0]!.data as { readonly sealed: string }).sealed
  expect(before).toContain(letters)
  expect(await sealed.store.reclaim('s')).toBeGreaterThan(0)
  expect(mirrored()).not.toContain(letters)
  expect(await texts('s')).toEqual(['stays'])
})

describe('a blob', () => {
  const put = async (): Promise<string> => {
    const hash = await sealed.store.putBlob(new Blob([`blob ${secret}`]))
    await sealed.store.append('s', [say(`see ${hash}`)])
    return hash
  }

  it('whose bytes are gone comes back from the mirror', async () => {
    const hash = await put()
    const [row] = await sealed.backend.readRows('blobs', undefined, 1)
    await sealed.backend.replaceRow('blobs', row!, { size: 1, blob: new Blob(['nonsense']) })
    expect((await sealed.store.verify('s')).problems.map(({ kind }) => kind)).toEqual(['blob'])
    await sealed.store.repair('s')
    expect((await sealed.store.verify('s')).problems).toEqual([])
    expect(await (await sealed.store.getBlob(hash))?.text()).toBe(`blob ${secret}`)
  })

  it('that the mirror lacks comes into it sealed', async () => {
    const hash = await put()
    device.folder.files.delete(blobName(hash))
    await sealed.keepMirror()
    expect(device.folder.files.has(blobName(hash))).toBe(true)
    expect(mirrored()).not.toContain(secret)
  })

  it('that a draft may name does not go with the last session that names it, and goes when there is none', async () => {
    const hash = await put()
    const draft = await sealed.store.openDraft('other', { role: 'assistant' })
    await sealed.store.writeDraft('other', draft, 0, { text: `see ${hash}` })
    await sealed.store.purge('s')
    expect(await sealed.store.getBlob(hash)).toBeDefined()
    const later = Date.now() + 1000
    expect(await sealed.backend.collectBlobs(later)).toEqual([])
    await sealed.store.sealDraft('other', draft)
    expect(await sealed.backend.collectBlobs(later)).toEqual([])
    await sealed.store.purge('other')
    expect(await sealed.store.getBlob(hash)).toBeUndefined()
  })

  it('that nothing names waits where a draft is sealed, and is collected once that is gone', async () => {
    const hash = await put()
    const draft = await sealed.store.openDraft('other', { role: 'assistant' })
    await sealed.store.writeDraft('other', draft, 0, { text: 'nothing' })
    await sealed.store.purge('s')
    await sealed.store.dropDraft('other', draft)
    expect(await sealed.backend.collectBlobs(Date.now() + 1000)).toEqual([hash])
  })
})

it('keeps the mark of what is encrypted on a database that is upgraded', async () => {
  const indexedDB = new IDBFactory()
  await restoreDatabase(indexedDB, 'old', fixtures[0]!.database)
  const { formatVersion, ...rest } = await changeStore<DatabaseInfo>(indexedDB, 'old', 'info', (store) =>
    store.get(infoKey),
  )
  await changeStore(indexedDB, 'old', 'info', (store) =>
    store.put({ ...rest, formatVersion: formatVersion + sealedFormat }, infoKey),
  )
  const open = (canUnseal: boolean) => openIndexedDbBackend({ name: 'old', indexedDB, IDBKeyRange, canUnseal })
  await expect(open(false)).rejects.toMatchObject({ name: 'WrongPassphrase' })
  await (await open(true)).close()
  expect(await changeStore(indexedDB, 'old', 'info', (store) => store.get(infoKey))).toMatchObject({
    formatVersion: formats.length + sealedFormat,
  })
})

describe('a draft', () => {
  it('is sealed with its parts, and with what it goes on with', async () => {
    await writeRichSession(sealed.store)
    const parts = [
      { type: 'toolInput', id: secret, name: secret, input: `{"a":"${secret}"` },
      { type: 'part', part: { type: 'source', text: secret } },
    ] as const
    const draft = await sealed.store.openDraft('d', { role: 'assistant' })
    await sealed.store.writeDraft('d', draft, 0, { parts })
    expect((await sealed.store.listDrafts('d'))[0]?.parts).toEqual(parts)
    await sealed.store.append('i', [
      { type: 'message', message: { role: 'assistant', content: `half ${secret}`, interrupted: true } },
    ])
    const { branch, order } = (await sealed.store.read('i', {})).entries[0]!
    await sealed.store.openDraft('i', { role: 'assistant', resume: { branch, order } })
    expect((await sealed.store.listDrafts('i'))[0]?.text).toBe(`half ${secret}`)
    expect(await allText(device.factory())).not.toContain(secret)
  })
})
