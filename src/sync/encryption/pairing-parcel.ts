import { SessionError } from '../../contract/errors.ts'
import { isObject } from '../../domain/is-object.ts'
import { fromBase64url, toBase64url } from './base64url.ts'
import type { Bytes } from './bytes.ts'
import { packValue, unpackValue } from './packed-value.ts'
import { checkRootKey, type RootKey, rootKeyBytes } from './root-key.ts'

/** What a new device needs to take part. */
export interface PairingParcel {
  readonly rootKey: RootKey
  readonly namespace: string
  /** Address of the server; absent if the app knows it. */
  readonly server?: string
}

/** @throws InvalidInput */
export function packParcel(
  { rootKey, namespace, server }: PairingParcel,
  more: { readonly expiresAt?: number } = {},
): Bytes {
  checkRootKey(rootKey)
  if (typeof namespace !== 'string' || namespace === '')
    throw new SessionError('InvalidInput', 'A pairing needs the namespace that the key is for.')
  return packValue({ key: toBase64url(rootKey), namespace, server, ...more })
}

/** @returns `undefined` for bytes that are not a parcel */
export function unpackParcel(bytes: Uint8Array): (PairingParcel & { readonly expiresAt?: number }) | undefined {
  const value = unpackValue(bytes)
  if (!isObject(value)) return undefined
  const { key, namespace, server, expiresAt } = value as Record<string, unknown>
  const rootKey = typeof key === 'string' ? fromBase64url(key) : undefined
  if (rootKey?.length !== rootKeyBytes || typeof namespace !== 'string' || namespace === '') return undefined
  return {
    rootKey,
    namespace,
    ...(typeof server === 'string' && { server }),
    ...(typeof expiresAt === 'number' && { expiresAt }),
  }
}
