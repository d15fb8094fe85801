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
  /** Times its worker had to be started again. */
  readonly restarts?: () => number
  readonly recovery?: () => RecoveryReport | undefined
  /** Drawn when the database was made. */
  readonly epoch?: string | undefined
  /** As it was when the store was opened. */
  readonly mirror?: MirrorState | undefined
  /** As it is with the worker of now. */
  readonly mirrorNow?: () => MirrorState | undefined
  /** Absent: it is plain. */
  readonly encryption?: EncryptionState | undefined
  /** Changes what it is encrypted with, where that is done in this realm. */
  readonly changeEncryption?: ((options: ChangeEncryption) => Promise<ResealReport>) | undefined
  /**
   * Hears what a worker beside its own changed, so that the next read knows it. Absent where such workers are not used.
   */
  readonly receive?: ((changes: readonly StoreChange[]) => void) | undefined
  /** Tells its worker of changes, and nobody else. */
  readonly announce?: (changes: readonly StoreChange[]) => void
  /** What it is kept in, where that is in this realm: what a search reads. */
  readonly backend?: CoreBackend
}

/** What a store's encryption is to be. */
interface ChangeEncryption {
  readonly to?: Encryption | null | undefined
  readonly rotate: boolean
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: JobProgress) => void
}

/** What each way of opening a store gets. */
export interface OpeningAttempt {
  readonly name: string
  readonly timeoutMs: number
  readonly feed: ChangeFeed
  /** Whether what is stored is to be mirrored, where that can be done. */
  readonly mirror: boolean
  /** What its content is encrypted with. Changes with it, so that a worker that is started again knows. */
  encryption: Encryption | undefined
  /** Web Lock that this page holds: what owns the drafts. */
  readonly owner: string | undefined
  readonly retention?: RetentionPolicy | undefined
}

export type Opener = (attempt: OpeningAttempt) => Promise<OpenedStore>

/** The way down from the best place to the last resort. Each way that this realm knows has an opener. */
export type Ladder = Readonly<Partial<Record<StoreMode, Opener>>>

export interface LadderResult extends OpenedStore {
  readonly mode: StoreMode
  readonly skipped: StoreHealth['skipped']
  readonly moved?: StoreHealth['moved']
  /** What was put back into a database that the browser had lost. */
  readonly refill?: MirrorReport
}

/** Data is there, and somebody has to act before it can be opened: going on elsewhere would hide it. */
const finalErrors = ['VersionConflict', 'UpgradeBlocked', 'WrongPassphrase', 'InvalidInput'] as const

/**
 * Opens a store in the first of these modes that works. @throws StorageUnavailable when none does; VersionConflict,
 * UpgradeBlocked
 */
export async function openLadder(
  ladder: Ladder,
  modes: readonly StoreMode[],
  attempt: OpeningAttempt,
): Promise<LadderResult> {
  const skipped: { readonly mode: StoreMode; readonly reason: string }[] = []
  for (const mode of modes) {
    const open = ladder[mode]
    try {
      if (open === undefined) throw new SessionError('StorageUnavailable', 'Not offered here.')
      // Memory has no database that could stay silent: it only has to load, however slow the machine is.
      const opened = await (mode === 'memory' ? open(attempt) : inTime(open(attempt), attempt))
      return { ...opened, mode, skipped }
    } catch (error) {
      if (finalErrors.some((name) => isSessionError(error, name))) throw error
      skipped.push({ mode, reason: error instanceof Error ? error.message || error.name : String(error) })
    }
  }
  const reasons = skipped.map(({ mode, reason }) => `${mode}: ${reason}`).join(' ')
  throw new SessionError('StorageUnavailable', `Could not open the store "${attempt.name}" in any mode. ${reasons}`)
}

/** A worker limits itself, so this is for databases that never answer. What opens too late is closed. */
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
    // The data is there, and it only takes longer: to go on elsewhere would hide it.
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
