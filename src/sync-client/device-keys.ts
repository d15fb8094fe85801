import { drawId } from '../client/session/draw-id.ts'
import { SessionError } from '../contract/errors.ts'
import type { SyncKeys } from '../sync/encryption/sync-keys.ts'
import { withMemoryTable } from '../sync/memory-table.ts'

/** A key, and the ids of the keys that it replaced. */
interface Successor {
  readonly keys: SyncKeys
  readonly givenUp: readonly string[]
}

/** Keys on their way to the tab that changes them. */
interface LentKeys {
  readonly to: SyncKeys
  readonly from: SyncKeys | undefined
}

/**
 * The key that this device syncs with: the one that a tab was opened with, or the one that replaced it. Tabs hand keys
 * to each other through IndexedDB, where no browser lets a page read their bytes.
 */
export interface DeviceKeys {
  /** The keys that this tab syncs with from now on. */
  find(): Promise<SyncKeys>
  /**
   * The key was changed here: tabs that have the previous one continue with this one. Never rejects: a tab that does
   * not learn of it asks the user for the key.
   */
  change(to: SyncKeys, from: SyncKeys | undefined): Promise<void>
  /** Leaves keys for another tab. @returns the id to find them by; @throws StorageUnavailable */
  lend(keys: LentKeys): Promise<string>
  /** Finds the keys that another tab has left. @throws StorageUnavailable */
  borrow(loan: string): Promise<LentKeys>
  /** The keys were taken, or are not needed any more. */
  forget(loan: string): Promise<void>
}

/** @param first - the keys that this tab was opened with */
export function createDeviceKeys(name: string, namespace: string, first: SyncKeys): DeviceKeys {
  // No namespace has a slash in it.
  const place = `${namespace}/keys`
  let keys = first

  const load = (at: string): Promise<unknown> =>
    withMemoryTable(name, 'readonly', (store) => store.get(at) as IDBRequest<unknown>)
  const succeeded = (): Promise<Successor | undefined> =>
    (load(place) as Promise<Successor | undefined>).catch(() => undefined)

  return {
    find: async () => {
      const found = await succeeded()
      if (found?.givenUp.includes(keys.id) === true) keys = found.keys
      return keys
    },
    change: async (to, from) => {
      const before = [...((await succeeded())?.givenUp ?? []), keys.id, ...(from === undefined ? [] : [from.id])]
      keys = to
      const successor: Successor = { keys: to, givenUp: [...new Set(before)].filter((id) => id !== to.id) }
      await withMemoryTable(name, 'readwrite', (store) => store.put(successor, place)).catch(() => undefined)
    },
    lend: async (lent) => {
      const loan = `${namespace}/lent/${drawId()}`
      await withMemoryTable(name, 'readwrite', (store) => store.put(lent, loan)).catch((error: unknown) => {
        throw new SessionError(
          'StorageUnavailable',
          `The key could not be passed to the tab that syncs: ${(error as Error).message}. Try it in that tab.`,
          { cause: error },
        )
      })
      return loan
    },
    borrow: async (loan) => {
      const lent = await load(loan)
      if (lent === undefined)
        throw new SessionError('StorageUnavailable', 'The key did not reach the tab that syncs. Try again.')
      return lent as LentKeys
    },
    // Leftover keys are not used, and are deleted with everything else when the user signs out.
    forget: (loan) => withMemoryTable(name, 'readwrite', (store) => store.delete(loan)).catch(() => undefined),
  }
}
