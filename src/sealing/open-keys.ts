import type { Encryption, Keyring, KeyringPlace, WrappedKey } from '../contract/encryption.ts'
import { isSessionError, SessionError } from '../contract/errors.ts'
import { type DataKey, drawDataKey, rewrapDataKey, unwrapDataKey } from './data-key.ts'
import { checkEncryption, lockKey, newLock } from './key-lock.ts'

/** The data keys of an open store. */
export interface Keys {
  keyring(): Keyring
  /** The key that seals new content; `undefined` while the store is being decrypted. */
  current(): DataKey | undefined
  all(): readonly DataKey[]
  /**
   * Reads the keyring again when the key is unknown.
   *
   * @throws WrongPassphrase when the key was wrapped with another key or passphrase than this store was opened with
   */
  find(id: string): Promise<DataKey | undefined>
  /** Reads the keyring again when another tab changed it. @throws WrongPassphrase */
  refresh(): Promise<void>
  /** Unwraps keys with this from now on: the store was given another key or passphrase. */
  relock(to: Encryption): Promise<void>
}

/** Copies of keyrings outside of the database, so that its mirror can be read after the database is lost. */
export interface SpareKeyrings {
  load(): Promise<readonly Keyring[]>
  /** When it rejects, the store can't be opened. */
  save(keyring: Keyring): Promise<void>
}

/**
 * Opens the keys of a database. A plain database gets its first key, and new content is sealed from then on.
 *
 * @throws WrongPassphrase, InvalidInput, StorageUnavailable (no cryptography here). Nothing was written in that case.
 */
export async function openKeys(place: KeyringPlace, encryption: Encryption, spare?: SpareKeyrings): Promise<Keys> {
  let given = checkEncryption(encryption)
  const others = (await spare?.load().catch(() => [])) ?? []
  const found = await place.loadKeyring()
  const stored =
    found === undefined || isPlain(found) ? await place.saveKeyring(await firstKeyring(given, found, others)) : found
  const known = new Map<string, DataKey>()
  let keyring = stored
  let locked: { readonly of: string; readonly key: Promise<CryptoKey> } | undefined

  /** Derived again only when the lock was changed. */
  function lockOf({ lock }: Keyring): Promise<CryptoKey> {
    const of = JSON.stringify(lock)
    if (locked?.of !== of) locked = { of, key: lockKey(given, lock) }
    return locked.key
  }

  async function take(next: Keyring): Promise<void> {
    for (const wrapped of next.keys) {
      if (known.has(wrapped.id)) continue
      const key = await unwrapDataKey(wrapped, await lockOf(next))
      if (key === undefined) throw wrongKey(known.size > 0)
      known.set(key.id, key)
    }
    keyring = next
  }

  async function refresh(): Promise<void> {
    const next = await place.loadKeyring()
    if (next !== undefined && next.generation !== keyring.generation) await take(next)
  }

  await take(stored)
  const adopted = await wrapAgain(given, others, await lockOf(stored), new Set(known.keys()))
  if (adopted.length > 0)
    await take(
      await place.saveKeyring({ ...keyring, generation: keyring.generation + 1, keys: [...keyring.keys, ...adopted] }),
    )
  await spare?.save(keyring)
  return {
    keyring: () => keyring,
    current: () => known.get(keyring.current),
    all: () => [...known.values()],
    find: async (id) => {
      if (!known.has(id)) await refresh()
      return known.get(id)
    },
    refresh,
    relock: async (to) => {
      given = checkEncryption(to)
      locked = undefined
    },
  }
}

/** Whether a store was encrypted once and is plain again. */
const isPlain = ({ current, isMixed }: Keyring): boolean => current === '' && !isMixed

/**
 * @param found - of a store that is plain again. Its keys stay, so far as the caller can open them: something that was
 *   left sealed must not lose its key
 * @param others - keyrings of lost databases. When none of them can be opened, the caller's key is not the one the
 * store had
 */
async function firstKeyring(
  given: Encryption,
  found: Keyring | undefined,
  others: readonly Keyring[],
): Promise<Keyring> {
  const lock = newLock(given)
  const wrapping = await lockKey(given, lock)
  const adopted = await wrapAgain(given, others, wrapping, new Set())
  if (adopted.length === 0 && others.some((keyring) => !isPlain(keyring))) throw wrongKey(false)
  const kept =
    found === undefined ? [] : await wrapAgain(given, [found], wrapping, new Set(adopted.map(({ id }) => id)))
  const { wrapped } = await drawDataKey(wrapping)
  const generation = (found?.generation ?? 0) + 1
  return { generation, lock, keys: [wrapped, ...adopted, ...kept], current: wrapped.id, isMixed: true }
}

/** Wraps again the keys of other keyrings that can be opened. */
async function wrapAgain(
  given: Encryption,
  others: readonly Keyring[],
  to: CryptoKey,
  known: ReadonlySet<string>,
): Promise<readonly WrappedKey[]> {
  const found = new Map<string, WrappedKey>()
  for (const { keys, lock } of others) {
    const news = keys.filter(({ id }) => !known.has(id) && !found.has(id))
    const from = news.length === 0 ? undefined : await lockKey(given, lock).catch(unlessOtherLock)
    for (const wrapped of from === undefined ? [] : news) {
      const again = await rewrapDataKey(wrapped, from!, to)
      if (again !== undefined) found.set(again.id, again)
    }
  }
  return [...found.values()]
}

function unlessOtherLock(error: unknown): undefined {
  if (!isSessionError(error, 'WrongPassphrase')) throw error
}

function wrongKey(wasChanged: boolean): SessionError {
  const what = wasChanged
    ? 'The key or passphrase of the store was changed. Open the store again with the new one.'
    : 'The key or passphrase does not open this store. Ask for it again; nothing was written.'
  return new SessionError('WrongPassphrase', what)
}
