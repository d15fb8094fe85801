import { encodeStateAsUpdate } from 'yjs'
import type { SyncKeys } from './encryption/sync-keys.ts'
import { type KeyScope, type KeyScopeOptions, openKeyScope } from './key-scope.ts'
import type { SyncDriver } from './sync-driver.ts'

export interface KeyScopesOptions extends Pick<KeyScopeOptions, 'store' | 'transport' | 'namespace' | 'now'> {
  readonly driver: SyncDriver
  readonly keys: SyncKeys | undefined
  /** Whether `state` was written with these keys. */
  readonly isRemembered: boolean
  /** The list of sessions, if it is known. */
  readonly state: Uint8Array | undefined
}

/** What is named and encoded with the keys that are in use. */
export interface KeyScopes {
  current(): KeyScope
  /** Puts others in their place. Resolves when what follows from that is done. */
  take(keys: SyncKeys | undefined): Promise<void>
}

export async function openKeyScopes({
  driver,
  keys,
  isRemembered,
  state,
  ...options
}: KeyScopesOptions): Promise<KeyScopes> {
  let scope: KeyScope | undefined
  const open = (given: Pick<KeyScopeOptions, 'keys' | 'isRemembered' | 'state' | 'before'>): Promise<KeyScope> =>
    openKeyScope({
      ...options,
      ...given,
      isOver: () => driver.state().isClosed,
      onFound: (found) => driver.send({ type: 'keyChecked', found }),
      onList: () => void driver.send({ type: 'listChanged', isKeyCurrent: scope?.gate.isCurrent() === true }),
      onBlobs: () => void driver.send({ type: 'blobsMoved' }),
    })
  let current = await open({ keys, isRemembered, state })
  scope = current
  return {
    current: () => current,
    take: async (next) => {
      const { keys: before, blobs, index } = current
      const leftBlobs = blobs.open()
      // What was published and not sent. A change of keys has sent it already.
      const published = next === before ? encodeStateAsUpdate(index.doc) : undefined
      blobs.close()
      // A list that was written with another key is another list.
      current = await open({ keys: next, isRemembered: false, state: published, before: blobs.counts() })
      scope = current
      index.doc.destroy()
      await driver.send({ type: 'keysTaken', leftBlobs })
    },
  }
}
