import { describe, expect, it } from 'vitest'
import { createSpareKeyrings } from '../../src/mirror/spare-keyring.ts'
import { unwrapDataKey } from '../../src/sealing/data-key.ts'
import { lockKey } from '../../src/sealing/key-lock.ts'
import { openKeys } from '../../src/sealing/open-keys.ts'
import { type ResealPlace, reseal } from '../../src/sealing/reseal.ts'
import { sealBackend } from '../../src/sealing/seal-backend.ts'
import { keyOfBlob } from '../../src/sealing/sealed-blob.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { allText } from './support/all-text.ts'
import { richRows, richSessionTexts, secret, writeRichSession } from './support/rich-session.ts'
import { createSealedDevice, drawKey, type SealedStore } from './support/sealed-device.ts'

const append = { type: 'message', message: { role: 'user', content: 'hello' } } as const

const mirrored = (files: ReadonlyMap<string, Uint8Array>): string =>
  [...files.values()].map((bytes) => new TextDecoder('latin1').decode(bytes)).join('\n')

describe('a store that was plain', () => {
  it('is encrypted wholly, and reads as before', async () => {
    const device = createSealedDevice()
    const plain = await device.openPlain()
    const hash = await writeRichSession(plain)
    const before = await richSessionTexts(plain)
    await plain.close()
    const { store, keys, reseal } = await device.open({ key: await drawKey() })
    expect(keys.keyring().isMixed).toBe(true)
    expect(await richSessionTexts(store)).toBe(before)
    expect(await reseal({ rotate: false })).toMatchObject({ unreadable: 0 })
    expect(keys.keyring().isMixed).toBe(false)
    const stored = await allText(device.factory())
    expect(stored).not.toContain(secret)
    // A plain print is a checksum, a colon and a length.
    expect(stored).toMatch(/^print [^:]+$/m)
    expect(stored).not.toMatch(/^print .*:/m)
    expect(await richSessionTexts(store)).toBe(before)
    expect(await richRows(store)).toBe(`bytes ${secret} {"note":"${secret}"}`)
    expect(await (await store.getBlob(hash))?.text()).toBe(`blob ${secret}`)
    expect((await store.verify()).problems).toEqual([])
  })

  it('refuses a tab that still takes it for plain', async () => {
    const device = createSealedDevice()
    const plain = await device.openPlain()
    await plain.append('s', [append])
    const { store, reseal } = await device.open({ key: await drawKey() })
    await reseal({ rotate: false })
    await expect(plain.append('s', [append])).rejects.toMatchObject({ name: 'WrongPassphrase' })
    expect((await store.read('s', {})).entries).toHaveLength(1)
  })

  it('refuses a new session and a blob of a tab that still takes it for plain', async () => {
    const device = createSealedDevice()
    const plain = await device.openPlain()
    await plain.append('s', [append])
    const { keys, reseal } = await device.open({ key: await drawKey() })
    await reseal({ rotate: false })
    expect(keys.keyring().isMixed).toBe(false)
    const news = { type: 'message', message: { role: 'user', content: secret } } as const
    await expect(plain.append('new', [news])).rejects.toMatchObject({ name: 'WrongPassphrase' })
    await expect(plain.putBlob(new Blob([secret]))).rejects.toMatchObject({ name: 'WrongPassphrase' })
    expect(await allText(device.factory())).not.toContain(secret)
  })
})

describe('a new data key', () => {
  it('seals everything anew, beside another tab that goes on', async () => {
    const device = createSealedDevice()
    const key = await drawKey()
    const [a, b] = [await device.open({ key }), await device.open({ key })]
    await writeRichSession(a.store)
    const old = a.keys.keyring().current
    const writing = (async () => {
      for (let i = 0; i < 40; i++) await b.store.append(i % 2 === 0 ? 's' : 't', [append])
    })()
    await a.reseal({ rotate: true })
    await writing
    const { length } = (await a.store.read('t', { limit: 100 })).entries
    expect(length).toBe(20)
    expect((await b.store.verify()).problems).toEqual([])
    expect(b.keys.keyring().current).not.toBe(old)
    // Rows that name the old key, but for the keyring itself.
    expect((await allText(device.factory())).split(`${old}.`)).toHaveLength(1)
  })

  it('seals a blob that was being sealed with the old one', async () => {
    const device = createSealedDevice()
    const key = await drawKey()
    const [a, b] = [await device.open({ key }), await device.open({ key })]
    await a.store.append('s', [append])
    let tries = 0
    const putBlob: typeof a.backend.putBlob = async (...blob) => {
      if (++tries === 1) await b.reseal({ rotate: true })
      return a.backend.putBlob(...blob)
    }
    await sealBackend({ ...a.backend, putBlob }, a.keys).putBlob('hash', new Blob([secret]), 0)
    expect(tries).toBe(2)
    expect(await keyOfBlob((await a.backend.getBlob('hash'))!)).toBe(b.keys.keyring().current)
  })

  it('is gone on with after it broke off', async () => {
    const device = createSealedDevice()
    const key = await drawKey()
    const first = await device.open({ key })
    for (let i = 0; i < 40; i++) await first.store.append(`s${i}`, [append])
    const before = await richSessionTexts(first.store)
    const old = first.keys.keyring().current
    const ending = new AbortController()
    let steps = 0
    await expect(
      first.reseal({ rotate: true, signal: ending.signal, onProgress: () => void (++steps === 1 && ending.abort()) }),
    ).rejects.toMatchObject({ name: 'Aborted' })
    device.folder.dieAll()
    expect(await allText(device.factory())).toContain(`${old}.`)
    const second = await device.open({ key })
    expect(second.keys.keyring()).toMatchObject({ isMixed: true })
    expect(await richSessionTexts(second.store)).toBe(before)
    expect((await second.reseal({ rotate: false })).rewritten).toBeGreaterThan(0)
    expect(await allText(device.factory())).not.toContain(`${old}.`)
    expect(await richSessionTexts(second.store)).toBe(before)
  })
})

describe('another passphrase', () => {
  it('opens the store from then on, and the old one no longer does', async () => {
    const device = createSealedDevice()
    const { store, reseal } = await device.open({ passphrase: 'old' })
    await store.append('s', [append])
    expect(await reseal({ to: { passphrase: 'new' }, rotate: false })).toEqual({ rewritten: 0, unreadable: 0 })
    // Who has it open goes on.
    await store.append('s', [append])
    await expect(device.open({ passphrase: 'old' })).rejects.toMatchObject({ name: 'WrongPassphrase' })
    expect((await (await device.open({ passphrase: 'new' })).store.read('s', {})).entries).toHaveLength(2)
    device.wipe()
    const filled = await device.open({ passphrase: 'new' })
    await filled.keepMirror()
    expect((await filled.store.read('s', {})).entries).toHaveLength(2)
  })
})

describe('two tabs that change the encryption at once', () => {
  const place = ({ backend, keys }: SealedStore, key: CryptoKey): ResealPlace => ({
    backend,
    keys,
    encryption: { key },
    name: 'sealed',
    dropIndex: async () => undefined,
    announce: () => undefined,
  })

  it('leave nothing sealed that counts as plain when a decryption begins at the end of the encryption', async () => {
    const device = createSealedDevice()
    const plain = await device.openPlain()
    await writeRichSession(plain)
    await plain.close()
    const key = await drawKey()
    const [a, b] = [await device.open({ key }), await device.open({ key })]
    const sealing = a.keys.keyring().current
    let begun = 0
    const dropIndex = async (): Promise<void> => {
      if (++begun > 1) return
      const decrypting = reseal(place(a, key), { to: null, rotate: false, signal: AbortSignal.abort() })
      await expect(decrypting).rejects.toMatchObject({ name: 'Aborted' })
    }
    await reseal({ ...place(b, key), dropIndex }, { rotate: false })
    expect(b.keys.keyring()).toMatchObject({ current: '', isMixed: false })
    expect(await allText(device.factory())).not.toContain(`${sealing}.`)
  })

  it('are both done, though one stores a keyring with the same keys in between', async () => {
    const device = createSealedDevice()
    const key = await drawKey()
    const [a, b] = [await device.open({ key }), await device.open({ key })]
    await a.store.append('s', [append])
    let saved = 0
    const saveKeyring: typeof a.backend.saveKeyring = async (wanted) => {
      if (++saved === 1) await b.backend.saveKeyring({ ...wanted, current: wanted.keys[0]!.id, isMixed: false })
      return a.backend.saveKeyring(wanted)
    }
    await reseal({ ...place(a, key), backend: { ...a.backend, saveKeyring } }, { to: null, rotate: false })
    expect(a.keys.keyring()).toMatchObject({ current: '', isMixed: false })
  })
})

describe('who has the store open when its passphrase changes', () => {
  it('opens the data keys that are drawn later, once it was told the new one', async () => {
    const device = createSealedDevice()
    const open = await device.open({ passphrase: 'old' })
    await open.store.append('s', [append])
    await (await device.open({ passphrase: 'old' })).reseal({ to: { passphrase: 'new' }, rotate: false })
    await open.keys.relock({ passphrase: 'new' })
    await (await device.open({ passphrase: 'new' })).reseal({ rotate: true })
    await open.store.append('s', [append])
    expect((await open.store.read('s', {})).entries).toHaveLength(2)
  })
})

describe('a store that was lost and filled again', () => {
  it('leaves no data key to the old passphrase when it gets a new one', async () => {
    const device = createSealedDevice()
    await (await device.open({ passphrase: 'old' })).store.append('s', [append])
    device.wipe()
    const { keepMirror, reseal } = await device.open({ passphrase: 'old' })
    await keepMirror()
    await reseal({ to: { passphrase: 'new' }, rotate: true })
    const rings = await createSpareKeyrings(device.folder).load()
    expect(rings.flatMap(({ keys }) => keys)).toHaveLength(3)
    for (const { lock, keys } of rings) {
      const old = await lockKey({ passphrase: 'old' }, lock)
      for (const wrapped of keys) expect(await unwrapDataKey(wrapped, old)).toBeUndefined()
    }
  })

  it('leaves no keyring that says it is encrypted when it is made plain', async () => {
    const device = createSealedDevice()
    const key = await drawKey()
    await (await device.open({ key })).store.append('s', [append])
    device.wipe()
    await (await device.open({ key })).keepMirror()
    device.folder.dieAll()
    await (await device.open({ key })).reseal({ to: null, rotate: false })
    const rings = await createSpareKeyrings(device.folder).load()
    expect(rings.map(({ current }) => current)).toEqual([''])
  })
})

describe('a store that is made plain', () => {
  it('opens without a key, is plain in the mirror too, and can be encrypted again', async () => {
    const device = createSealedDevice()
    const key = await drawKey()
    const writer = await device.open({ key })
    await writeRichSession(writer.store)
    const before = await richSessionTexts(writer.store)
    await writer.store.close()
    const { reseal, store } = await device.open({ key })
    await reseal({ to: null, rotate: false })
    expect(await richSessionTexts(store)).toBe(before)
    const plain = await device.openPlain()
    expect(await richSessionTexts(plain)).toBe(before)
    expect(mirrored(device.folder.files)).toContain(secret)
    const sealed = await device.open({ key: await drawKey() })
    expect(await richSessionTexts(sealed.store)).toBe(before)
  })

  it('keeps its old data key when it is encrypted again, for what was left sealed', async () => {
    const key = await drawKey()
    const { backend, keys, store } = await createSealedDevice().open({ key })
    await store.append('s', [append])
    const { generation } = keys.keyring()
    await backend.saveKeyring({ ...keys.keyring(), generation: generation + 1, current: '', isMixed: false })
    const again = await openKeys(backend, { key })
    expect(again.keyring()).toMatchObject({ generation: generation + 2, isMixed: true })
    expect(again.all().map(({ id }) => id)).toEqual(expect.arrayContaining(keys.all().map(({ id }) => id)))
    expect((await createSessionStore(sealBackend(backend, again)).read('s', {})).entries).toHaveLength(1)
  })
})
