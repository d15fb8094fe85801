import type { WrappedKey } from '../contract/encryption.ts'
import { fromBase64, toBase64 } from '../domain/base64.ts'
import { decrypt, encrypt } from './cipher.ts'
import { subtleHere } from './subtle-here.ts'

/** One half is the AES key, the other half makes the tokens for look-ups. */
const rawBytes = 64

/** Seals content. It is drawn at random, and can't be extracted once it is in use. */
export interface DataKey {
  readonly id: string
  readonly aes: CryptoKey
  readonly hmac: CryptoKey
}

/** Draws a new data key. @returns the key, and its wrapped form for the keyring */
export async function drawDataKey(lock: CryptoKey): Promise<{ readonly key: DataKey; readonly wrapped: WrappedKey }> {
  const raw = crypto.getRandomValues(new Uint8Array(rawBytes))
  const id = [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => (byte % 36).toString(36)).join('')
  const wrapped = await wrap(raw, id, lock)
  return { key: await importKey(raw, id), wrapped }
}

/** @returns `undefined` when it was wrapped with another key */
export async function unwrapDataKey({ id, wrapped }: WrappedKey, lock: CryptoKey): Promise<DataKey | undefined> {
  const raw = await unwrap(wrapped, id, lock)
  return raw && importKey(raw, id)
}

/** The same data key, wrapped with another key. @returns `undefined` when it was not wrapped with `from` */
export async function rewrapDataKey(
  { id, wrapped }: WrappedKey,
  from: CryptoKey,
  to: CryptoKey,
): Promise<WrappedKey | undefined> {
  const raw = await unwrap(wrapped, id, from)
  if (raw === undefined) return undefined
  const again = await wrap(raw, id, to)
  raw.fill(0)
  return again
}

const placeOf = (id: string): string => `key ${id}`

const wrap = async (raw: Uint8Array<ArrayBuffer>, id: string, lock: CryptoKey): Promise<WrappedKey> => ({
  id,
  wrapped: toBase64(await encrypt(lock, raw, placeOf(id))),
})

async function unwrap(wrapped: string, id: string, lock: CryptoKey): Promise<Uint8Array<ArrayBuffer> | undefined> {
  // A damaged base64 text counts as a wrong key too.
  return decrypt(lock, fromBase64(wrapped), placeOf(id)).catch(() => undefined)
}

async function importKey(raw: Uint8Array<ArrayBuffer>, id: string): Promise<DataKey> {
  const subtle = subtleHere()
  const [aes, hmac] = await Promise.all([
    subtle.importKey('raw', raw.slice(0, rawBytes / 2), 'AES-GCM', false, ['encrypt', 'decrypt']),
    subtle.importKey('raw', raw.slice(rawBytes / 2), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']),
  ])
  raw.fill(0)
  return { id, aes, hmac }
}
