import type { Entry } from '../contract/entry.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import { namedBlobs } from '../domain/named-blobs.ts'
import type { BlobTransport } from './link.ts'
import type { BlobCounts } from './status.ts'

/**
 * How long entries wait for their blobs, in milliseconds: so that, as a rule, whoever receives the entries finds the
 * blobs.
 */
export const holdMs = 5000

export interface BlobExchangeOptions {
  readonly store: Pick<SessionStore, 'getBlob' | 'putBlob'>
  /** Absent where the transport carries none: then every named blob is missing on the other side. */
  readonly blobs: BlobTransport | undefined
  readonly namespace: string
  /** The counts of earlier exchanges, which are continued. */
  readonly before?: BlobCounts | undefined
  readonly onChange: () => void
}

/**
 * Copies the blobs that entries name to the other side, and from there. What fails does not delay entries for long, and
 * is retried.
 */
export interface BlobExchange {
  /**
   * Sends the named blobs that are here, and fetches the others in the background. Resolves when they are sent, cannot
   * be sent now, or take too long. Never rejects.
   */
  send(entries: readonly Entry[]): Promise<void>
  /** Fetches the named blobs that are not here, in the background. */
  fetch(entries: readonly Entry[]): void
  /** Retries what failed, and what an earlier run left. */
  retry(hashes?: readonly string[]): void
  /** The other side may have lost what it had: what entries name from now on is looked up again. */
  doubt(): void
  /** The connection is gone: nothing is retried until `retry`. */
  pause(): void
  /** The blobs that are not copied yet. */
  open(): readonly string[]
  /** How many could not be sent. */
  unsent(): number
  counts(): BlobCounts
  /** Resolves when nothing is under way. */
  settled(): Promise<void>
  /** Starts nothing more, and waits for nothing. */
  close(): void
}

/** The hashes of the blobs that these entries name. */
export function namesIn(entries: readonly Entry[]): readonly string[] {
  return [...new Set(entries.flatMap((entry) => [...namedBlobs(entry)]))]
}
