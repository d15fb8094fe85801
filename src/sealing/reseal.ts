import type { ChangeSink } from '../contract/change.ts'
import type { Encryption, Keyring, KeyringPlace, ResealReport, WrappedKey } from '../contract/encryption.ts'
import { SessionError } from '../contract/errors.ts'
import type { JobProgress } from '../contract/job.ts'
import type { RowAccess } from '../storage/indexeddb/row-access.ts'
import { drawDataKey, rewrapDataKey } from './data-key.ts'
import { checkEncryption, lockKey, newLock } from './key-lock.ts'
import type { Keys, SpareKeyrings } from './open-keys.ts'
import { type ResealCounts, resealRows } from './reseal-rows.ts'
import { createSealer } from './sealer.ts'

/**
 * The maximum number of passes that look for rows with an old key, because other tabs may move such rows while a pass
 * runs.
 */
const maxPasses = 10

export interface ResealOptions {
  /** The new key or passphrase. `null` decrypts the store; when absent, the lock stays. */
  readonly to?: Encryption | null | undefined
  /**
   * Draws a new data key and seals everything with it. Otherwise only rows without the current key are sealed again.
   */
  readonly rotate: boolean
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: JobProgress) => void
}

/** A store, and the other places with its content. */
export interface ResealPlace {
  readonly backend: KeyringPlace & RowAccess
  readonly keys: Keys
  /** The key or passphrase that it was opened with. */
  readonly encryption: Encryption
  readonly name: string
  readonly spare?: SpareKeyrings | undefined
  /** Replaces mirrored content that is not sealed with the current key. @returns whether all of it was replaced */
  readonly renewMirror?: () => Promise<boolean>
  readonly dropIndex: () => Promise<void>
  readonly announce: ChangeSink
}

/**
 * Changes the encryption of a store. Another key or passphrase only wraps the data keys again. A new data key, or
 * decryption, rewrites all content in small transactions while all tabs continue to work. After an interruption the
 * next call, or the next start, continues.
 *
 * @throws WrongPassphrase, InvalidInput, Aborted
 */
export async function reseal(
  place: ResealPlace,
  { to, rotate, signal, onProgress }: ResealOptions,
): Promise<ResealReport> {
  const { backend, keys, encryption, spare, name } = place
  const next = to === undefined || to === null ? undefined : checkEncryption(to)
  const counts: ResealCounts = { rewritten: 0, conflicts: 0, unreadable: 0, seen: 0 }

  /** @returns whether it was changed: `how` may give up */
  async function change(how: (keyring: Keyring) => Promise<Keyring | undefined>): Promise<boolean> {
    for (;;) {
      await keys.refresh()
      const before = keys.keyring()
      const next = await how(before)
      if (next === undefined) return false
      const wanted = { ...next, generation: before.generation + 1 }
      // The copy outside of the database comes first: content that is sealed with a new key must never be left without
      // that key.
      await spare?.save(wanted).catch((error: unknown) => {
        place.announce({
          type: 'notice',
          name: 'degraded',
          message: `If the database is lost, the mirror of the store "${name}" can't be read: its keyring could not be written. ${(error as Error).message}`,
        })
      })
      const stored = await backend.saveKeyring(wanted)
      if (isSame(stored, wanted)) return true
    }
  }

  async function announceKeys(): Promise<void> {
    await keys.refresh()
    place.announce({
      type: 'notice',
      name: 'keysChanged',
      message: `The encryption of the store "${name}" was changed.`,
    })
  }

  const breathe = async (): Promise<void> => {
    if (signal?.aborted)
      throw new SessionError('Aborted', 'The change of the encryption was cancelled. The next start continues it.')
    onProgress?.({ readBytes: 0, totalBytes: 0, entries: counts.seen, skipped: counts.unreadable })
    await new Promise((resolve) => setTimeout(resolve))
  }

  if (to === null) await change(async (keyring) => ({ ...keyring, current: '', isMixed: true }))
  else if (rotate) {
    const drawn = await drawDataKey(await lockKey(encryption, keys.keyring().lock))
    await change(async (keyring) => ({
      ...keyring,
      keys: [...keyring.keys, drawn.wrapped],
      current: drawn.key.id,
      isMixed: true,
    }))
  }
  await announceKeys()

  const sealer = createSealer(keys)
  while (keys.keyring().isMixed) {
    const { generation } = keys.keyring()
    let isWhole = false
    for (let pass = 0; pass < maxPasses && !isWhole; pass++) {
      const before = counts.rewritten + counts.conflicts
      counts.seen = 0
      counts.unreadable = 0
      await resealRows(backend, sealer, counts, breathe)
      isWhole = counts.rewritten + counts.conflicts === before
    }
    await place.dropIndex().catch(() => undefined)
    // Mirror files of other tabs can't be replaced until those tabs are closed.
    isWhole = ((await place.renewMirror?.()) ?? true) && isWhole
    if (!isWhole) break
    // What was sealed or opened for another keyring says nothing of the one that somebody stored meanwhile.
    if (
      await change(async (keyring) => (keyring.generation === generation ? { ...keyring, isMixed: false } : undefined))
    )
      break
  }

  if (next !== undefined) {
    const lock = newLock(next)
    const from = await lockKey(encryption, keys.keyring().lock)
    const into = await lockKey(next, lock)
    await change(async (keyring) => ({ ...keyring, lock, keys: await wrapAgain(keyring, from, into) }))
  }
  await announceKeys()
  return { rewritten: counts.rewritten, unreadable: counts.unreadable }
}

/** @throws WrongPassphrase */
function wrapAgain({ keys }: Keyring, from: CryptoKey, into: CryptoKey): Promise<WrappedKey[]> {
  return Promise.all(
    keys.map(async (wrapped) => {
      const again = await rewrapDataKey(wrapped, from, into)
      if (again === undefined)
        throw new SessionError(
          'WrongPassphrase',
          'The key or passphrase of the store was changed by another tab. Open the store again with the new one.',
        )
      return again
    }),
  )
}

/** Whether a keyring is stored, and nobody else's of the same generation. Whether it is mixed, the database decides. */
function isSame(stored: Keyring, wanted: Keyring): boolean {
  const [one, other] = [stored, wanted].map((keyring) => JSON.stringify({ ...keyring, isMixed: false }))
  return one === other
}
