import type { VersionVector } from '../contract/entry.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import type { TermOptions } from '../contract/term.ts'
import type { BlobExchange } from './blob-exchange.ts'
import type { ElementCodec } from './element-codec.ts'

export interface SyncDocumentOptions extends TermOptions {
  readonly store: Pick<SessionStore, 'changes' | 'merge' | 'flush'>
  /** Key of the session. */
  readonly key: string
  /** Name of the document. */
  readonly name: string
  readonly elements: ElementCodec
  /**
   * What was purged before the session was restarted: the document has holes in its place, whatever was there before.
   * Later entries of those writers belong to the purged session, too, and are not accepted.
   */
  readonly erased?: VersionVector | undefined
  /** Copies the blobs that entries name. */
  readonly blobs?: Pick<BlobExchange, 'send' | 'fetch'>
}
