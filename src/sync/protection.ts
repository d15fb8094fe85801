import type { KeyMarks } from './index-document.ts'
import type { KeyCheck } from './key-check.ts'
import type { BlobTransport } from './link.ts'
import type { SyncCodec } from './sync-codec.ts'

/** How what leaves this device is kept from others, if it is. */
export interface Protection {
  readonly codec: SyncCodec
  /** Carries large content as others may see it. */
  readonly over: (blobs: BlobTransport) => BlobTransport
  /** Holds the keys that are here against what the list of the other side says of keys. */
  readonly check: (marks: KeyMarks) => Promise<KeyCheck>
}
