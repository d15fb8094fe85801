import type { Entry } from '../../contract/entry.ts'
import { entryId } from '../../domain/address.ts'
import { entryChecksum } from '../../domain/seal.ts'
import type { ElementCodec } from '../element-codec.ts'
import { sameBytes } from '../same-bytes.ts'
import { readWireEntry, toWireEntry } from '../wire-entry.ts'
import { bytesOf } from './bytes.ts'
import { createDeterministicCipher } from './deterministic-cipher.ts'
import { fromHex, toHex } from './hex.ts'
import { KeyMissing } from './key-missing.ts'
import { packWireEntry, unpackWireEntry } from './packed-wire-entry.ts'
import type { SyncKeys } from './sync-keys.ts'

/** How much of the key's id stands in front of each element. */
const markBytes = 2

/**
 * Entries sealed whole: bytes, which are `start of the key's id (2) ‖ iv (12) ‖ ciphertext ‖ tag (16)` of the packed entry. Each session has keys of its
 * own, and what is sealed is bound to its address. Never inside of anything: Yjs freezes that where `NODE_ENV` is `development`, and bytes can't be.
 *
 * @param sid - the session's part of the document's name
 */
export function sealedElements(keys: SyncKeys, sid: string): ElementCodec {
  const cipher = createDeterministicCipher(keys, `session ${sid}`)
  const mark = keys.id.slice(0, markBytes * 2)
  const placeOf = (w: number, s: number): string => `${sid}/${entryId(w, s)}`

  const read = async (w: number, s: number, content: unknown): Promise<Entry | KeyMissing | string> => {
    if (!(content instanceof Uint8Array)) return 'it is not sealed'
    const theirs = toHex(content.subarray(0, markBytes))
    if (theirs.length === mark.length && theirs !== mark) return new KeyMissing(theirs)
    const plain = await cipher.open(content.subarray(markBytes), placeOf(w, s))
    if (plain === undefined) return 'it was not sealed by this key for this place, or was changed since'
    const entry = readWireEntry(w, s, unpackWireEntry(plain), entryChecksum)
    if (typeof entry === 'string') return entry
    // Or the projection would have other bytes than the others have under the same address.
    return isPackedAs(entry, plain) ? entry : 'it is not packed as entries are'
  }

  return {
    write: async (entry) => bytesOf(fromHex(mark), await cipher.seal(packWireEntry(toWireEntry(entry, entryChecksum)), placeOf(entry.w, entry.s))),
    // No cryptography, or none any more: the keys can't be used now, which says nothing of the entry.
    read: (w, s, content) => read(w, s, content).catch(() => new KeyMissing(mark)),
  }
}

/** Whether these are the bytes of the entry. What is nested deeper than packing goes was not packed here. */
function isPackedAs(entry: Entry, plain: Uint8Array): boolean {
  try {
    return sameBytes(packWireEntry(toWireEntry(entry, entryChecksum)), plain)
  } catch {
    return false
  }
}
