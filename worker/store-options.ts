import type { OpenMessage } from '../src/contract/worker-protocol.ts'
import type { SessionStoreOptions } from '../src/storage/core-store.ts'
import type { Announcer } from './announce-changes.ts'
import { isLockHeld } from './life-sign.ts'

/**
 * The options of a page's store.
 *
 * @param wasLost - whether the connection to the database was lost once. After that an operation may be stored although
 * its call failed
 */
export function storeOptions(
  { owner, operations }: OpenMessage,
  { add, follow }: Pick<Announcer, 'add' | 'follow'>,
  wasLost: () => boolean,
): SessionStoreOptions {
  return {
    onChange: add,
    ...(follow === undefined ? {} : { follow }),
    isFreshOperation: (id) => operations !== undefined && !wasLost() && id.startsWith(operations),
    ...(owner === undefined ? {} : { owner }),
    isOwnerAlive: isLockHeld,
  }
}
