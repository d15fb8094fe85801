import { SessionError } from '../contract/errors.ts'
import type { SyncKeys } from './encryption/sync-keys.ts'

/** @throws InvalidInput */
export function checkNamespace(namespace: unknown, keys: SyncKeys | undefined): void {
  if (typeof namespace !== 'string' || !/^[^/]+$/.test(namespace))
    throw new SessionError('InvalidInput', `namespace must be a string without "/", got ${JSON.stringify(namespace)}.`)
  if (keys !== undefined && keys.namespace !== namespace)
    throw new SessionError(
      'InvalidInput',
      `The sync keys are for the namespace ${JSON.stringify(keys.namespace)}, and it syncs ${JSON.stringify(namespace)}. Open them for this one.`,
    )
}
