import type { CoreBackend } from '../../contract/backend.ts'
import type { StoreChange } from '../../contract/change.ts'
import type { Encryption, EncryptionState, ResealReport } from '../../contract/encryption.ts'
import { isSessionError, SessionError } from '../../contract/errors.ts'
import type { JobProgress } from '../../contract/job.ts'
import type { MirrorReport, MirrorState } from '../../contract/mirror.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import type { StoreMode } from '../open-options.ts'
import type { RetentionPolicy } from '../retention/retention-policy.ts'
import type { ChangeFeed } from '../session/change-feed.ts'
import type { RecoveryReport, StoreHealth } from '../store-health.ts'
import { heldUp } from '../worker/connect-worker.ts'

/** A store that could be opened. */
export interface OpenedStore {
  readonly store: SessionStore
  /** How often its worker had to be restarted. */
  readonly restarts?: () => number
  readonly recovery?: () => RecoveryReport | undefined
  /** A random id of the database, drawn when it was created. */
  readonly epoch?: string | undefined
  /** The state when the store was opened. */
  readonly mirror?: MirrorState | undefined
  /** The state in the current worker. */
  readonly mirrorNow?: () => MirrorState | undefined
  /** Absent: it is not encrypted. */
  readonly encryption?: EncryptionState | undefined
  /** Changes the encryption, if that is done in this realm. */
  readonly changeEncryption?: ((options: ChangeEncryption) => Promise<ResealReport>) | undefined
  /**
   * Receives the changes that a helper worker made, so that the next read includes them. Absent if there are no helper
   * workers.
   */
  readonly receive?: ((changes: readonly StoreChange[]) => void) | undefined
  /**
   * Has the database what was answered so far, because other workers read that. Never rejects: what can't be stored now
   * stays in the journal. Absent where there is no journal.
   */
  readonly fold?: (() => Promise<void>) | undefined
  /** Tells its worker the new key or passphrase, which it needs once somebody draws a new data key. */
  readonly relock?: (to: Encryption) => void
  /** Announces changes to its worker only. */
  readonly announce?: (changes: readonly StoreChange[]) => void
  /** The backend of the store, if it is in this realm: a search reads it. */
  readonly backend?: CoreBackend
}

/** The new encryption of a store. */
interface ChangeEncryption {
  readonly to?: Encryption | null | undefined
  readonly rotate: boolean
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: JobProgress) => void
}

/** What every opener gets. */
export interface OpeningAttempt {
  readonly name: string
  readonly timeoutMs: number
  readonly feed: ChangeFeed
  /** Whether to mirror what is stored, if possible. */
  readonly mirror: boolean
  /** Opens the encrypted content. It is updated when the encryption changes, so that a restarted worker knows. */
  encryption: Encryption | undefined
  /** Name of the Web Lock that this page holds as the owner of its drafts. */
  readonly owner: string | undefined
  readonly retention?: RetentionPolicy | undefined
}

export type Opener = (attempt: OpeningAttempt) => Promise<OpenedStore>

/**
 * Loads the code that opens a mode; `undefined` when this realm has none. Loading is not opening: on a slow machine it
 * may take longer than a database may take to answer.
 */
export type OpenerOf = (mode: StoreMode) => Opener | undefined | Promise<Opener | undefined>

export interface LadderResult extends OpenedStore {
  readonly mode: StoreMode
  readonly skipped: StoreHealth['skipped']
  readonly moved?: StoreHealth['moved']
  /** What was restored into a database that the browser had lost. */
  readonly refill?: MirrorReport
}

/** The data exists, and somebody has to act before it can be opened: continuing in another mode would hide it. */
const finalErrors = ['VersionConflict', 'UpgradeBlocked', 'WrongPassphrase', 'InvalidInput'] as const

/**
 * Opens a store in the first of these modes that works. @throws StorageUnavailable when none does; VersionConflict,
 * UpgradeBlocked
 */
export async function openLadder(
  openerOf: OpenerOf,
  modes: readonly StoreMode[],
  attempt: OpeningAttempt,
): Promise<LadderResult> {
  const skipped: { readonly mode: StoreMode; readonly reason: string }[] = []
  for (const mode of modes) {
    try {
      const open = await openerOf(mode)
      if (open === undefined) throw new SessionError('StorageUnavailable', 'This mode is not available here.')
      return { ...(await inTime(open(attempt), attempt)), mode, skipped }
    } catch (error) {
      if (finalErrors.some((name) => isSessionError(error, name))) throw error
      skipped.push({ mode, reason: error instanceof Error ? error.message || error.name : String(error) })
    }
  }
  const reasons = skipped.map(({ mode, reason }) => `${mode}: ${reason}`).join(' ')
  throw new SessionError('StorageUnavailable', `Could not open the store "${attempt.name}" in any mode. ${reasons}`)
}

/**
 * Workers have a time limit of their own, so this one is for databases that never answer. A store that opens too late
 * is closed.
 */
function inTime(opening: Promise<OpenedStore>, { timeoutMs, feed }: OpeningAttempt): Promise<OpenedStore> {
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout>
    const expect = (ms: number, name: 'StorageUnavailable' | 'UpgradeBlocked'): void => {
      clearTimeout(timer)
      timer = setTimeout(() => {
        reject(new SessionError(name, `It did not open within ${ms} ms.`))
        opening.then(({ store }) => store.close()).catch(() => undefined)
      }, ms + 50)
    }
    expect(timeoutMs, 'StorageUnavailable')
    // The data exists, and opening only takes longer: continuing in another mode would hide it.
    const stop = feed.subscribe((change) => {
      if (change.type === 'notice' && /^upgrad(ing|eBlocked)$/.test(change.name))
        expect(timeoutMs * heldUp, 'UpgradeBlocked')
    })
    opening.then(resolve, reject).finally(() => {
      clearTimeout(timer)
      stop()
    })
  })
}
