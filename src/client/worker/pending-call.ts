import type { HostedCall } from '../../contract/worker-protocol.ts'
import type { WorkerConnection } from './connect-worker.ts'

export interface PendingCall extends HostedCall {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  /** The worker it was sent to. */
  target?: WorkerConnection
  isRetried?: true
}
