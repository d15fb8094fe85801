import type { Keys } from './open-keys.ts'
import { createSealer } from './sealer.ts'

const place = 'segment'

/**
 * Seals the segments of a search index with the key that was current when the index was opened. After a change of keys
 * the index is rebuilt.
 */
export function createSegmentSealing(
  keys: Keys,
):
  | {
      readonly key: string
      seal(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>
      open(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>
    }
  | undefined {
  const sealer = createSealer(keys)
  const key = sealer.keyId()
  return key === ''
    ? undefined
    : {
        key,
        seal: (bytes) => sealer.sealBytes(bytes, place, key),
        open: (bytes) => sealer.openBytes(bytes, place, key),
      }
}
