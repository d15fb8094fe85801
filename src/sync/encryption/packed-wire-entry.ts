import { createDecoder, hasContent, readAny, readVarString } from 'lib0/decoding'
import { createEncoder, toUint8Array, writeAny, writeVarString } from 'lib0/encoding'
import type { JsonValue } from '../../contract/json.ts'
import type { WireEntry } from '../wire-entry.ts'
import type { Bytes } from './bytes.ts'
import { sortMembers } from './packed-value.ts'

/** The only encoding of an entry as it travels: its head, and lib0's `any` of the rest with sorted members. */
export function packWireEntry([head, content]: WireEntry): Bytes {
  const encoder = createEncoder()
  writeVarString(encoder, head)
  writeAny(encoder, sortMembers(content))
  return toUint8Array(encoder) as Bytes
}

/**
 * @returns `undefined` for bytes that are not an entry. The caller has to check whether {@link packWireEntry} gives the
 * same bytes.
 */
export function unpackWireEntry(bytes: Uint8Array): WireEntry | undefined {
  try {
    const decoder = createDecoder(bytes)
    const found: WireEntry = [readVarString(decoder), readAny(decoder) as JsonValue]
    return hasContent(decoder) ? undefined : found
  } catch {
    return undefined
  }
}
