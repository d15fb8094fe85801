import type { NoticeChange } from '../../contract/change.ts'
import type { SessionError } from '../../contract/errors.ts'
import type { RecoveryRung } from '../store-health.ts'
import type { WorkerConnection } from '../worker/connect-worker.ts'
import type { HeldWrites } from './held-writes.ts'
import type { RecoveryEvent, RecoveryState } from './recovery-state.ts'
import type { RecoveryLink, RecoveryWay } from './recovery-ways.ts'
import type { HeldReplay } from './replay-held-writes.ts'

/** What a recovery is made of, besides its state. */
export interface RecoveryParts {
  readonly link: RecoveryLink
  readonly ways: readonly RecoveryWay[]
  readonly state: () => RecoveryState
  readonly send: (event: RecoveryEvent) => void
  /** Opens one of the ways. @throws DataLoss when another database is there; then there is a `loss` */
  readonly open: (way: RecoveryWay) => Promise<WorkerConnection>
  readonly loss: () => SessionError | undefined
  readonly isOutOfRoom: () => Promise<boolean>
  readonly notify: (notice: NoticeChange['name'], message: string) => void
  readonly enter: (rung: RecoveryRung, reason: string) => void
  readonly replay: HeldReplay
  /** What is held now, and the connection that was found for it. */
  readonly memory: { held?: HeldWrites | undefined; found?: WorkerConnection | undefined }
}
