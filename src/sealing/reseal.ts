import type { ChangeSink } from '../contract/change.ts'
import type { Encryption, Keyring, KeyringPlace, ResealReport } from '../contract/encryption.ts'
import { SessionError } from '../contract/errors.ts'
import type { JobProgress } from '../contract/job.ts'
import type { RowAccess } from '../storage/indexeddb/row-access.ts'
import { drawDataKey, rewrapDataKey } from './data-key.ts'
import { checkEncryption, lockKey, newLock } from './key-lock.ts'
import type { Keys, SpareKeyrings } from './open-keys.ts'
import { type ResealCounts, resealRows } from './reseal-rows.ts'
import { createSealer } from './sealer.ts'

/** Others may write meanwhile, and move what was not written anew yet: it is looked for again, so often. */
const mostPasses = 10

export interface ResealOptions {
  /** What the store is locked with from then on; `null`: it is made plain; absent: as before. */
  readonly to?: Encryption | null | undefined
  /** Draws a new data key and writes everything anew with it. Otherwise only what was not sealed with the current one. */
  readonly rotate: boolean
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: JobProgress) => void
}

/** A store, and what of its content lies elsewhere. */
export interface ResealPlace {
  readonly backend: KeyringPlace & RowAccess
  readonly keys: Keys
  /** What it was opened with. */
  readonly encryption: Encryption
  readonly name: string
  readonly spare?: SpareKeyrings | undefined
  /** Drops what is mirrored otherwise than with the current key, and has it mirrored again. @returns whether all of it is gone */
  readonly renewMirror?: () => Promise<boolean>
  readonly dropIndex: () => Promise<void>
  readonly tell: ChangeSink
}

/**
 * Changes what a store is encrypted with. Another key or passphrase only wraps the data keys again; a new data key, and none, writes all
 * content anew, in small transactions beside the work of all tabs. What breaks off is gone on with at the next call, or the next start.
 *
 * @throws WrongPassphrase, InvalidInput, Aborted
 */
export async function reseal(place: ResealPlace, { to, rotate, signal, onProgress }: ResealOptions): Promise<ResealReport> {
  const { backend, keys, encryption, spare, tell, name } = place
  const next = to === undefined || to === null ? undefined : checkEncryption(to)
  const counts: ResealCounts = { rewritten: 0, conflicts: 0, unreadable: 0, seen: 0 }

  async function change(how: (keyring: Keyring) => Promise<Keyring>): Promise<void> {
    for (;;) {
      await keys.refresh()
      const before = keys.keyring()
      const wanted = { ...(await how(before)), generation: before.generation + 1 }
      // First outside of the database: what is sealed with a new key must never be left without it.
      await spare?.save(wanted).catch((error: unknown) => {
        tell({ type: 'notice', name: 'degraded', message: `The mirror of the store "${name}" can't be read should the database be lost: its keyring could not be written. ${(error as Error).message}` })
      })
      const stored = await backend.saveKeyring(wanted)
      if (JSON.stringify(stored.keys) === JSON.stringify(wanted.keys) && stored.generation === wanted.generation) return
    }
  }

  async function announce(): Promise<void> {
    await keys.refresh()
    tell({ type: 'notice', name: 'keysChanged', message: `The encryption of the store "${name}" was changed.` })
  }

  const breathe = async (): Promise<void> => {
    if (signal?.aborted) throw new SessionError('Aborted', 'The change of the encryption was cancelled. The next start goes on with it.')
    onProgress?.({ readBytes: 0, totalBytes: 0, entries: counts.seen, skipped: counts.unreadable })
    await new Promise((resolve) => setTimeout(resolve))
  }

  if (to === null) await change(async (keyring) => ({ ...keyring, current: '', isMixed: true }))
  else if (rotate) {
    const drawn = await drawDataKey(await lockKey(encryption, keys.keyring().lock))
    await change(async (keyring) => ({ ...keyring, keys: [...keyring.keys, drawn.wrapped], current: drawn.key.id, isMixed: true }))
  }
  await announce()

  if (keys.keyring().isMixed) {
    const sealer = createSealer(keys)
    let isWhole = false
    for (let pass = 0; pass < mostPasses && !isWhole; pass++) {
      const before = counts.rewritten + counts.conflicts
      counts.seen = 0
      counts.unreadable = 0
      await resealRows(backend, sealer, counts, breathe)
      isWhole = counts.rewritten + counts.conflicts === before
    }
    await place.dropIndex().catch(() => undefined)
    // Files of other tabs are in use until those are closed.
    isWhole = ((await place.renewMirror?.()) ?? true) && isWhole
    if (isWhole) await change(async (keyring) => ({ ...keyring, isMixed: false }))
  }

  if (next !== undefined) {
    const lock = newLock(next)
    const from = await lockKey(encryption, keys.keyring().lock)
    const into = await lockKey(next, lock)
    await change(async (keyring) => ({
      ...keyring,
      lock,
      keys: await Promise.all(
        keyring.keys.map(async (wrapped) => {
          const again = await rewrapDataKey(wrapped, from, into)
          if (again === undefined) throw new SessionError('WrongPassphrase', 'The key or passphrase of the store was changed by another tab. Open it again, with the new one.')
          return again
        }),
      ),
    }))
  }
  await announce()
  return { rewritten: counts.rewritten, unreadable: counts.unreadable }
}
