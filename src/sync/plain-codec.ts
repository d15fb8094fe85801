import { plainElements } from './plain-elements.ts'
import { sessionDocumentId } from './session-document-id.ts'
import type { SyncCodec } from './sync-codec.ts'

/** Content as it is. */
export const plainCodec: SyncCodec = {
  elements: () => plainElements,
  index: { write: (_, value) => value, read: (_, content) => content },
  idOf: sessionDocumentId,
}
