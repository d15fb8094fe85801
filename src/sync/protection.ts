import type { KeyMarks } from './index-codec.ts'
import type { KeyCheck } from './key-check.ts'
import type { BlobTransport } from './link.ts'
import type { SyncCodec } from './sync-codec.ts'

/** How the data that leaves this device is protected, if at all. */
export interface Protection {
  readonly codec: SyncCodec
  /** Wraps a transport, so that it carries large content in a form that others may see. */
  readonly over: (blobs: BlobTransport) => BlobTransport
  /** Compares the keys that are here with what the list of the other side says about keys. */
  readonly check: (marks: KeyMarks) => Promise<KeyCheck>
}
