import { createDeviceKey } from '../../src/index.ts'
import { fromBase64url, toBase64url } from '../../src/sync/encryption/base64url.ts'
import { drawRootKey, type RootKey } from '../../src/sync/encryption/root-key.ts'
import { unwrapRootKey, wrapRootKey } from '../../src/sync/encryption/wrapped-root-key.ts'
import { readLocal, writeLocal } from '../ui/local.ts'

const name = 'sync-root-key'

const deviceKey = (): Promise<CryptoKey> => createDeviceKey('keepsession-demo-sync')

/** Keeps the key that all others of sync are made of, wrapped with one that no script can read. */
export async function keepRootKey(rootKey: RootKey): Promise<void> {
  writeLocal(name, toBase64url(await wrapRootKey(rootKey, await deviceKey())))
}

/** The kept one; at the first time one is drawn. @throws WrongPassphrase when what is kept does not open any more */
export async function rootKey(): Promise<RootKey> {
  const wrapped = fromBase64url(readLocal(name) ?? '')
  if (wrapped !== undefined && wrapped.length > 0) return unwrapRootKey(wrapped, await deviceKey())
  const drawn = drawRootKey()
  await keepRootKey(drawn)
  return drawn
}
