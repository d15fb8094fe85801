import type { IndexDocument } from './index-document.ts'
import type { SyncTransport } from './link.ts'
import type { ListEvent } from './machine/machine-event.ts'
import type { RetryOptions } from './retry-wait.ts'

export interface ListConnectionOptions {
  readonly transport: SyncTransport
  readonly namespace: string
  readonly retry: RetryOptions
  /** The list, as it is now. */
  readonly index: () => IndexDocument
  /** Resolves once the local sessions are known. */
  readonly loaded: () => Promise<unknown>
  readonly isClosed: () => boolean
  /** Reports what happens. Resolves when that was dealt with. */
  readonly emit: (event: ListEvent) => Promise<void>
}
