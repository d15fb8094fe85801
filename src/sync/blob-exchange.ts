import type { Entry } from '../contract/entry.ts'
import type { SessionStore } from '../contract/store.ts'
import { namedBlobs } from '../domain/named-blobs.ts'
import type { BlobTransport } from './link.ts'
import type { BlobCounts } from './status.ts'

/** How long entries wait for what they name, in milliseconds: who gets them finds it there, as a rule. */
export const holdMs = 5000

export interface BlobExchangeOptions {
  readonly store: Pick<SessionStore, 'getBlob' | 'putBlob'>
  /** Absent where the transport carries none: then all that is named is missing on the other side. */
  readonly blobs: BlobTransport | undefined
  readonly namespace: string
  /** What was carried before, to be counted on. */
  readonly before?: BlobCounts | undefined
  readonly onChange: () => void
}

/** Brings the blobs that entries name to the other side, and from there. What fails never holds up entries for long, and is tried again. */
export interface BlobExchange {
  /** Sends what these name and is here, and fetches in the background what is not. Resolves when it was sent, or can't be now, or takes too long. Never rejects. */
  send(entries: readonly Entry[]): Promise<void>
  /** Fetches in the background what these name and is not here. */
  fetch(entries: readonly Entry[]): void
  /** Tries again what failed, and what an earlier run left. */
  retry(hashes?: readonly string[]): void
  /** The connection is gone: nothing is tried again until `retry`. */
  rest(): void
  /** What was not carried yet. */
  open(): readonly string[]
  /** How many could not be sent. */
  unsent(): number
  counts(): BlobCounts
  /** Resolves when nothing is under way. */
  settled(): Promise<void>
  /** Begins nothing more, and waits for nothing. */
  close(): void
}

/** The blobs that these name. */
export function namesIn(entries: readonly Entry[]): readonly string[] {
  return [...new Set(entries.flatMap((entry) => [...namedBlobs(entry)]))]
}
