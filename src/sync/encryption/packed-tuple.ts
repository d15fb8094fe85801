import { createDecoder, hasContent, readAny, readUint32, readVarString, readVarUint } from 'lib0/decoding'
import { createEncoder, toUint8Array, writeAny, writeUint32, writeVarString, writeVarUint } from 'lib0/encoding'
import type { JsonValue } from '../../contract/json.ts'
import type { WireTuple } from '../wire-tuple.ts'
import type { Bytes } from './bytes.ts'
import { sortMembers } from './packed-value.ts'

/**
 * Types by number, from 1. The list is part of the format and never changes, not even by a type that is new: the same entry would be other bytes
 * where it is known. The others travel as text behind a 0.
 */
const types: readonly string[] = [
  'message', 'model_change', 'thinking_level_change', 'branch_summary', 'custom', 'custom_message', 'label', 'session_info',
  'branch', 'head', 'cut', 'compaction', 'edit', 'meta', 'checkpoint', 'delete', 'undelete', 'purge',
]

/** The one sequence of bytes of a tuple: what is in most of them shorter than lib0's `any` has it, the rest so, members sorted. */
export function packTuple(tuple: WireTuple): Bytes {
  const [type, hp, hc, turn, branch, at, data, crc] = tuple as [string, number, number, JsonValue, JsonValue, JsonValue, JsonValue, number]
  const encoder = createEncoder()
  const number = types.indexOf(type) + 1
  writeVarUint(encoder, number)
  if (number === 0) writeVarString(encoder, type)
  writeVarUint(encoder, hp)
  writeVarUint(encoder, hc)
  for (const cell of [turn, branch, at, data]) writeAny(encoder, sortMembers(cell))
  writeUint32(encoder, crc)
  return toUint8Array(encoder) as Bytes
}

/** @returns `undefined` for bytes that are none. Whether {@link packTuple} gives the same bytes is for the caller to see. */
export function unpackTuple(bytes: Uint8Array): WireTuple | undefined {
  try {
    const decoder = createDecoder(bytes)
    const number = readVarUint(decoder)
    const type = number === 0 ? readVarString(decoder) : (types[number - 1] ?? '')
    const [hp, hc] = [readVarUint(decoder), readVarUint(decoder)]
    const [turn, branch, at, data] = [readAny(decoder), readAny(decoder), readAny(decoder), readAny(decoder)] as JsonValue[]
    const crc = readUint32(decoder)
    return hasContent(decoder) ? undefined : [type, hp, hc, turn!, branch!, at!, data!, crc]
  } catch {
    return undefined
  }
}
