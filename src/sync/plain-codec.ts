import { KeyMissing } from './encryption/key-missing.ts'
import { plainElements } from './plain-elements.ts'
import { sessionDocumentId } from './session-document-id.ts'
import type { SyncCodec } from './sync-codec.ts'

/** Content in the clear. */
export const plainCodec: SyncCodec = {
  elements: () => plainElements,
  // A text is content that others sealed.
  index: {
    write: (_id, _clock, value) => value,
    read: (_id, _clock, content) => (typeof content === 'string' ? new KeyMissing('') : content),
  },
  idOf: sessionDocumentId,
}
