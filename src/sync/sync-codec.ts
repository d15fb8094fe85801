import type { ElementCodec } from './element-codec.ts'
import type { IndexCodec } from './index-codec.ts'

/** How names and content are encoded where others can see them. */
export interface SyncCodec {
  /** For the document of this id. */
  readonly elements: (id: string) => ElementCodec
  readonly index: IndexCodec
  /** The part of a document's name that stands for a session. */
  readonly idOf: (key: string) => string | Promise<string>
}
