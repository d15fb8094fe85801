import type { JsonValue } from '../contract/json.ts'
import type { RowValue } from '../contract/store/collections.ts'
import type { FoundRow, StoredRow } from '../contract/stored-row.ts'
import { checksumUtf8, crc32, crcOfBytes } from './crc32.ts'

/** Whether a value is a `Uint8Array`, of any realm. */
export const isBytes = (value: unknown): value is Uint8Array =>
  ArrayBuffer.isView(value) && Object.prototype.toString.call(value) === '[object Uint8Array]'

/** How a value is stored. Bytes are copied. */
export function storedRow(value: RowValue): StoredRow {
  if (isBytes(value)) {
    const data = new Uint8Array(value)
    return { data, size: data.length, crc: crcOfBytes(data) }
  }
  const data = JSON.stringify(value)
  const { crc, bytes } = checksumUtf8(data)
  return { data, size: bytes, crc }
}

/** The value of a stored row; `undefined` when it is damaged. */
export function valueOfRow(row: FoundRow): RowValue | undefined {
  const { data, crc } = row ?? {}
  if (typeof data === 'string' && crc32(data) === crc) return parsed(data)
  return isBytes(data) && crcOfBytes(data) === crc ? data : undefined
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}
