import { createDeviceKey } from '../../src/index.ts'
import { fromBase64url, toBase64url } from '../../src/sync/encryption/base64url.ts'
import { drawRootKey, type RootKey } from '../../src/sync/encryption/root-key.ts'
import { unwrapRootKey, wrapRootKey } from '../../src/sync/encryption/wrapped-root-key.ts'
import { readLocal, writeLocal } from '../ui/local.ts'

const nameOf = (namespace: string): string => `sync-root-key:${namespace}`

const deviceKey = (): Promise<CryptoKey> => createDeviceKey('keepsession-demo-sync')

/** Keeps the key that all others of a namespace are made of, wrapped with one that no script can read. */
export async function keepRootKey(namespace: string, rootKey: RootKey): Promise<void> {
  writeLocal(nameOf(namespace), toBase64url(await wrapRootKey(rootKey, await deviceKey())))
}

/** The kept one; at the first time one is drawn. @throws WrongPassphrase when what is kept does not open any more */
export async function rootKey(namespace: string): Promise<RootKey> {
  const wrapped = fromBase64url(readLocal(nameOf(namespace)) ?? '')
  if (wrapped !== undefined && wrapped.length > 0) return unwrapRootKey(wrapped, await deviceKey())
  const drawn = drawRootKey()
  await keepRootKey(namespace, drawn)
  return drawn
}
