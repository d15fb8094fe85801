import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openIndexValue, sealIndexValue } from '../../../src/sync/encryption/index-value.ts'
import { KeyMissing } from '../../../src/sync/encryption/key-missing.ts'
import { exportRootKey, importRootKey } from '../../../src/sync/encryption/recovery-text.ts'
import { drawRootKey, rootKeyOfPassphrase } from '../../../src/sync/encryption/root-key.ts'
import { sealedDocumentId } from '../../../src/sync/encryption/sealed-document-id.ts'
import { openSyncKeys } from '../../../src/sync/encryption/sync-keys.ts'
import { unwrapRootKey, wrapRootKey } from '../../../src/sync/encryption/wrapped-root-key.ts'
import { sessionDocumentId } from '../../../src/sync/session-document-id.ts'

const fixed = new Uint8Array(32).map((_, i) => i)
const deviceKey = (): Promise<CryptoKey> =>
  crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt'])

describe('a root key', () => {
  it('is the same for the same passphrase and namespace on every device, however the passphrase was typed', async () => {
    const key = await rootKeyOfPassphrase('caf\u00e9', 'ns')
    expect(await rootKeyOfPassphrase('cafe\u0301', 'ns')).toEqual(key)
    expect(await rootKeyOfPassphrase('caf\u00e9', 'other')).not.toEqual(key)
    expect(await rootKeyOfPassphrase('cafe', 'ns')).not.toEqual(key)
  })

  it.each([[''], [undefined], [5]])('is not made of %j', async (passphrase) => {
    await expect(rootKeyOfPassphrase(passphrase as string, 'ns')).rejects.toMatchObject({ name: 'InvalidInput' })
  })

  it('can not be read out of the keys that are made of it', async () => {
    const { root } = await openSyncKeys(fixed, 'ns')
    expect(root.extractable).toBe(false)
    await expect(crypto.subtle.exportKey('raw', root)).rejects.toThrow()
  })

  it('opens the same keys as the key object that was made of it', async () => {
    const keys = await openSyncKeys(fixed, 'ns')
    const again = await openSyncKeys(structuredClone(keys.root), 'ns')
    expect(again.id).toBe(keys.id)
    expect(await sealIndexValue(again, { a: 1 })).toEqual(await sealIndexValue(keys, { a: 1 }))
  })

  it('has to be one', async () => {
    const aes = await deviceKey()
    for (const given of [new Uint8Array(31), 'x', undefined, aes])
      await expect(openSyncKeys(given as never, 'ns')).rejects.toMatchObject({ name: 'InvalidInput' })
    await expect(openSyncKeys(fixed, '')).rejects.toMatchObject({ name: 'InvalidInput' })
  })

  it('is wrapped with a key of the device, and unwrapped with no other', async () => {
    const key = await deviceKey()
    const wrapped = await wrapRootKey(fixed, key)
    expect(Buffer.from(wrapped).includes(Buffer.from(fixed.subarray(0, 8)))).toBe(false)
    expect(await unwrapRootKey(wrapped, key)).toEqual(fixed)
    await expect(unwrapRootKey(wrapped, await deviceKey())).rejects.toMatchObject({ name: 'WrongPassphrase' })
  })
})

describe('a recovery text', () => {
  it('brings the root key back, however it is typed', () => {
    const text = exportRootKey(fixed)
    expect(text).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){13}[0-9A-HJKMNP-TV-Z]{4}$/)
    expect(importRootKey(text)).toEqual(fixed)
    expect(
      importRootKey(` ${text.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')}\n`),
    ).toEqual(fixed)
    for (let i = 0; i < 50; i++) {
      const key = drawRootKey()
      expect(importRootKey(exportRootKey(key))).toEqual(key)
    }
  })

  it('tells every slip of one letter and every exchange of two neighbours', () => {
    const text = exportRootKey(fixed).replaceAll('-', '')
    for (let i = 0; i < text.length; i++) {
      const slip = text.slice(0, i) + (text[i] === 'A' ? 'B' : 'A') + text.slice(i + 1)
      expect(() => importRootKey(slip)).toThrow(expect.objectContaining({ name: 'InvalidInput' }) as Error)
      if (text[i] === text[i + 1] || i + 1 === text.length) continue
      expect(() => importRootKey(text.slice(0, i) + text[i + 1]! + text[i]! + text.slice(i + 2))).toThrow(
        expect.objectContaining({ name: 'InvalidInput' }) as Error,
      )
    }
  })

  it('says what is wrong with it', () => {
    const text = exportRootKey(fixed)
    expect(() => importRootKey(text.slice(0, -5))).toThrow('52 letters')
    expect(() => importRootKey(text.replace(/.$/, 'U'))).toThrow('"U"')
    expect(() => importRootKey('')).toThrow('0 letters')
  })
})

describe('a name of a document', () => {
  it('is the hash of the session key where nothing is encrypted', async () => {
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode('sk_v1_x')))
    expect(await sessionDocumentId('sk_v1_x')).toBe(Buffer.from(hash.subarray(0, 16)).toString('hex'))
  })

  it('is the same hash in a page that has no WebCrypto', async () => {
    const id = await sessionDocumentId('sk_v1_x')
    vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) })
    onTestFinished(() => void vi.unstubAllGlobals())
    expect(await sessionDocumentId('sk_v1_x')).toBe(id)
  })

  it('is under encryption another one for each root key and namespace, and the same on every device', async () => {
    const keys = await openSyncKeys(fixed, 'ns')
    const id = await sealedDocumentId('sk_v1_x', keys)
    expect(id).toMatch(/^[\w-]{22}$/)
    expect(await sealedDocumentId('sk_v1_x', await openSyncKeys(fixed, 'ns'))).toBe(id)
    const others = [
      await sessionDocumentId('sk_v1_x'),
      await sealedDocumentId('sk_v1_y', keys),
      await sealedDocumentId('sk_v1_x', await openSyncKeys(drawRootKey(), 'ns')),
      await sealedDocumentId('sk_v1_x', await openSyncKeys(fixed, 'nt')),
    ]
    expect(new Set([id, ...others]).size).toBe(5)
  })
})

describe('a value of the index', () => {
  const value = { key: 'sk_v1_x', title: 'Striped animals', n: 12, at: 1_790_000_000_000, deleted: false }

  it('comes back as it was, is the same bytes each time and shows nothing', async () => {
    const keys = await openSyncKeys(fixed, 'ns')
    const sealed = await sealIndexValue(keys, value)
    expect(await openIndexValue([keys], sealed)).toEqual({ value, keys })
    expect(await sealIndexValue(await openSyncKeys(fixed, 'ns'), value)).toEqual(sealed)
    for (const text of ['sk_v1', 'Striped', 'title', 'deleted'])
      expect(Buffer.from(sealed, 'base64url').includes(text)).toBe(false)
  })

  it('is opened with older keys too, and says whose it is', async () => {
    const [older, keys] = [await openSyncKeys(drawRootKey(), 'ns'), await openSyncKeys(fixed, 'ns')]
    expect(await openIndexValue([keys, older], await sealIndexValue(older, value))).toEqual({ value, keys: older })
  })

  it('tells a key that is not here from damage, and never rejects', async () => {
    const [other, keys] = [await openSyncKeys(drawRootKey(), 'ns'), await openSyncKeys(fixed, 'ns')]
    expect(await openIndexValue([keys], await sealIndexValue(other, value))).toEqual(new KeyMissing(other.id))
    const sealed = await sealIndexValue(keys, value)
    const changed = `${sealed.slice(0, 40)}${sealed[40] === 'A' ? 'B' : 'A'}${sealed.slice(41)}`
    for (const bad of [changed, sealed.slice(0, 20), Buffer.from(sealed, 'base64url'), 'x', '~', '', undefined, [1]])
      expect(await openIndexValue([keys], bad)).toEqual(expect.any(String))
  })
})
