import { sameBytes } from '../same-bytes.ts'
import { type Bytes, bytesOf } from './bytes.ts'
import { fromHex, toHex } from './hex.ts'
import { isKeyRecord, recordVersion } from './is-key-record.ts'
import { deriveHmacKey, keyIdBytes, type SyncKeys } from './sync-keys.ts'
import { webCrypto } from './web-crypto.ts'

const proofBytes = 16
const none = new Uint8Array(keyIdBytes)

/**
 * States that a key is used in a namespace, and which key it replaced. It is stored unencrypted in the index document
 * and reveals nothing about the key.
 */
export interface KeyRecord {
  readonly id: string
  /** Absent for the first key of a namespace. */
  readonly before?: string
  /** One is made with the key, the other with the previous key. */
  readonly proofs: { readonly own: Uint8Array; readonly before: Uint8Array }
}

/**
 * `1 ‖ id (8) ‖ id of the previous key (8) ‖ proof by the key (16) ‖ proof by the previous key (16)`; zeros where there
 * is no previous key. The same keys give the same bytes, so that every device may write it.
 */
export async function writeKeyRecord(keys: SyncKeys, before?: SyncKeys): Promise<Bytes> {
  const ids = bytesOf(fromHex(keys.id), before === undefined ? none : fromHex(before.id))
  return bytesOf(
    Uint8Array.of(recordVersion),
    ids,
    await proofBy(keys, ids),
    before === undefined ? new Uint8Array(proofBytes) : await proofBy(before, ids),
  )
}

/** @returns `undefined` for what is not a key record */
export function readKeyRecord(given: unknown): KeyRecord | undefined {
  if (!isKeyRecord(given)) return undefined
  const [id, before, rest] = [
    given.subarray(1, 1 + keyIdBytes),
    given.subarray(1 + keyIdBytes, 1 + 2 * keyIdBytes),
    given.subarray(1 + 2 * keyIdBytes),
  ]
  const proofs = { own: rest.slice(0, proofBytes), before: rest.slice(proofBytes) }
  return { id: toHex(id), ...(!sameBytes(before, none) && { before: toHex(before) }), proofs }
}

/** Whether the record was made with these keys, as the new or the previous ones. */
export async function isProvenBy({ id, before, proofs }: KeyRecord, keys: SyncKeys): Promise<boolean> {
  const proof = keys.id === id ? proofs.own : keys.id === before ? proofs.before : undefined
  return (
    proof !== undefined &&
    sameBytes(await proofBy(keys, bytesOf(fromHex(id), before === undefined ? none : fromHex(before))), proof)
  )
}

async function proofBy(keys: SyncKeys, ids: Bytes): Promise<Bytes> {
  return new Uint8Array(await webCrypto().sign('HMAC', await deriveHmacKey(keys, 'key records'), ids)).slice(
    0,
    proofBytes,
  )
}
