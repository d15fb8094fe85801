import type { Encryption, Keyring, KeyringPlace } from '../contract/encryption.ts'
import { SessionError } from '../contract/errors.ts'
import { type DataKey, drawDataKey, unwrapDataKey } from './data-key.ts'
import { checkEncryption, lockKey, newLock } from './key-lock.ts'

/** The data keys of an open store. */
export interface Keys {
  keyring(): Keyring
  /** What is sealed with; `undefined` while the store is made plain. */
  current(): DataKey | undefined
  all(): readonly DataKey[]
  /** Asks again when the key is not known. @throws WrongPassphrase when it was made for another key or passphrase than this store was opened with */
  find(id: string): Promise<DataKey | undefined>
  /** Looks whether another tab changed them. @throws WrongPassphrase */
  refresh(): Promise<void>
}

/** Where keys may be found that a lost database has left. */
export interface SpareKeyring {
  load(): Promise<Keyring | undefined>
  save(keyring: Keyring): Promise<void>
}

/**
 * Opens the keys of a database. One that is plain gets its first: what is written from then on is sealed.
 *
 * @param spare - keeps the keyring once more, outside of the database, so that the mirror of a lost one can be read
 * @throws WrongPassphrase, InvalidInput, StorageUnavailable (no cryptography here). Nothing was written then.
 */
export async function openKeys(place: KeyringPlace, encryption: Encryption, spare?: SpareKeyring): Promise<Keys> {
  const given = checkEncryption(encryption)
  const found = (await place.loadKeyring()) ?? (await place.saveKeyring(await firstKeyring(given, await spare?.load())))
  const lock = await lockKey(given, found.lock)
  const known = new Map<string, DataKey>()
  let keyring = found

  async function take(next: Keyring): Promise<void> {
    for (const wrapped of next.keys) {
      if (known.has(wrapped.id)) continue
      const key = await unwrapDataKey(wrapped, lock)
      if (key === undefined) throw wrongKey(known.size > 0)
      known.set(key.id, key)
    }
    keyring = next
  }

  async function refresh(): Promise<void> {
    const next = await place.loadKeyring()
    if (next !== undefined && next.generation !== keyring.generation) await take(next)
  }

  await take(found)
  // Without it a mirror is worth nothing, yet to work without one is allowed.
  await spare?.save(keyring).catch(() => undefined)
  return {
    keyring: () => keyring,
    current: () => known.get(keyring.current),
    all: () => [...known.values()],
    find: async (id) => {
      if (!known.has(id)) await refresh()
      return known.get(id)
    },
    refresh,
  }
}

/** That of a database that is gone, when its mirror is there: what it holds was sealed with those keys. */
async function firstKeyring(given: Encryption, left: Keyring | undefined): Promise<Keyring> {
  if (left !== undefined) {
    const lock = await lockKey(given, left.lock)
    for (const wrapped of left.keys) if ((await unwrapDataKey(wrapped, lock)) === undefined) throw wrongKey(false)
    if (left.current !== '') return { ...left, generation: 1, isMixed: true }
  }
  const lock = left?.lock ?? newLock(given)
  const { wrapped } = await drawDataKey(await lockKey(given, lock))
  return { generation: 1, lock, keys: [...(left?.keys ?? []), wrapped], current: wrapped.id, isMixed: true }
}

export function wrongKey(wasChanged: boolean): SessionError {
  const what = wasChanged ? 'The key or passphrase of the store was changed. Open it again, with the new one.' : 'The key or passphrase does not open this store. Ask for it again; nothing was written.'
  return new SessionError('WrongPassphrase', what)
}
