/**
 * A key for `encryption`, stored by the browser in a separate database: created by the first call, and the same for
 * every later one. No script can read its bytes, but every script of the origin can use it. It is stored in the same
 * profile as the content that it encrypts, so by itself it does not protect against somebody who copies the whole
 * profile.
 *
 * @param name - default `keepsession`
 * @throws StorageUnavailable
 */
export async function createDeviceKey(name = 'keepsession'): Promise<CryptoKey> {
  return (await import('../../in-page/device-key.ts')).openDeviceKey(name)
}
