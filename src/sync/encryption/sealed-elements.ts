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

/** How many bytes of the key's id precede each element. */
const markBytes = 2

/**
 * Seals entries as a whole: `start of the key's id (2) ‖ iv (12) ‖ ciphertext ‖ tag (16)` of the packed entry. Each
 * session has keys of its own, and the content is bound to its address. The bytes are never part of an object, because
 * Yjs freezes objects where `NODE_ENV` is `development`, and bytes cannot be frozen.
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
    if (plain === undefined) return 'it was not sealed with this key for this place, or was changed since then'
    const entry = readWireEntry(w, s, unpackWireEntry(plain), entryChecksum)
    if (typeof entry === 'string') return entry
    // Otherwise the projection would have other bytes than those of the others under the same address.
    return isPackedAs(entry, plain) ? entry : 'it is not packed like an entry'
  }

  return {
    write: async (entry) =>
      bytesOf(
        fromHex(mark),
        await cipher.seal(packWireEntry(toWireEntry(entry, entryChecksum)), placeOf(entry.w, entry.s)),
      ),
    // Cryptography is not available here, or not any more: the keys cannot be used now, which does not make the entry
    // invalid.
    read: (w, s, content) => read(w, s, content).catch(() => new KeyMissing(mark)),
  }
}

/** Whether these are the bytes of the entry. An entry that is nested too deeply for packing was not packed here. */
function isPackedAs(entry: Entry, plain: Uint8Array): boolean {
  try {
    return sameBytes(packWireEntry(toWireEntry(entry, entryChecksum)), plain)
  } catch {
    return false
  }
}
