import type { OpenMessage } from '../src/contract/worker-protocol.ts'
import type { SessionStoreOptions } from '../src/storage/core-store.ts'
import type { Announcer } from './announce-changes.ts'
import { isLockHeld } from './life-sign.ts'

/** What the store of a page is given. */
export function storeOptions({ owner, operations }: OpenMessage, { add, follow }: Pick<Announcer, 'add' | 'follow'>): SessionStoreOptions {
  return {
    onChange: add,
    ...(follow === undefined ? {} : { follow }),
    isFreshOperation: (id) => operations !== undefined && id.startsWith(operations),
    ...(owner === undefined ? {} : { owner }),
    isOwnerAlive: isLockHeld,
  }
}
