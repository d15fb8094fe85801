/**
 * A key for `encryption`, kept by the browser in a database of its own: made at the first call, the same at every other
 * one. No script can read its bytes, but every script of the origin can use it, and it lies in the same profile as what
 * it encrypts: by itself it is no help against who copies the whole profile.
 *
 * @param name - default `keepsession`
 * @throws StorageUnavailable
 */
export async function createDeviceKey(name = 'keepsession'): Promise<CryptoKey> {
  return (await import('../../in-page/device-key.ts')).openDeviceKey(name)
}
