import { SessionError } from '../contract/errors.ts'
import type { SyncKeys } from '../sync/encryption/sync-keys.ts'
import type { DeviceKeys } from './device-keys.ts'

/** The keys of a device, loaded when they are first needed. Rejects with InvalidInput where sync has none. */
export function lazyDeviceKeys(
  name: string,
  namespace: string,
  first: SyncKeys | undefined,
): () => Promise<DeviceKeys> {
  let keys: Promise<DeviceKeys> | undefined
  return async () => {
    if (first === undefined)
      throw new SessionError(
        'InvalidInput',
        'This sync has no key that could be changed. Close it, and open it with keys.',
      )
    return (keys ??= import('./device-keys.ts').then(({ createDeviceKeys }) =>
      createDeviceKeys(name, namespace, first),
    ))
  }
}
