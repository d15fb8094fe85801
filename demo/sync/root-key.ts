import { createDeviceKey } from '../../src/index.ts'
import { fromBase64url, toBase64url } from '../../src/sync/encryption/base64url.ts'
import { drawRootKey, type RootKey } from '../../src/sync/encryption/root-key.ts'
import { unwrapRootKey, wrapRootKey } from '../../src/sync/encryption/wrapped-root-key.ts'
import { readLocal, writeLocal } from '../ui/local.ts'

const nameOf = (namespace: string): string => `sync-root-key:${namespace}`
const nextNameOf = (namespace: string): string => `sync-next-root-key:${namespace}`

const deviceKey = (): Promise<CryptoKey> => createDeviceKey('keepsession-demo-sync')

/** Keeps the key that all others of a namespace are made of, wrapped with one that no script can read. */
export const keepRootKey = (namespace: string, rootKey: RootKey): Promise<void> => keep(nameOf(namespace), rootKey)

/** The kept one; at the first time one is drawn. @throws WrongPassphrase when what is kept does not open any more */
export const rootKey = (namespace: string): Promise<RootKey> => keptOrDrawn(nameOf(namespace))

/**
 * The one that everything is to be put under in its place, which is kept from the first time it is asked for, beside
 * the one before. @throws as `rootKey` does
 */
export const nextRootKey = (namespace: string): Promise<RootKey> => keptOrDrawn(nextNameOf(namespace))

/** Whether a change of the key has begun, and is not known to be done. */
export const hasNextRootKey = (namespace: string): boolean => readLocal(nextNameOf(namespace)) !== undefined

/** Everything is under the next key: the one before is forgotten. */
export function takeNextRootKey(namespace: string): void {
  writeLocal(nameOf(namespace), readLocal(nextNameOf(namespace)))
  writeLocal(nextNameOf(namespace), undefined)
}

async function keep(name: string, rootKey: RootKey): Promise<void> {
  writeLocal(name, toBase64url(await wrapRootKey(rootKey, await deviceKey())))
}

async function keptOrDrawn(name: string): Promise<RootKey> {
  const wrapped = fromBase64url(readLocal(name) ?? '')
  if (wrapped !== undefined && wrapped.length > 0) return unwrapRootKey(wrapped, await deviceKey())
  const drawn = drawRootKey()
  await keep(name, drawn)
  return drawn
}
