import type { FoundRow, StoredRow } from '../../contract/stored-row.ts'
import { fromBase64, toBase64 } from '../../domain/base64.ts'
import { textOf } from '../frame.ts'

/** A row in a mirror. `undefined`: it was deleted; `null`: there is one that could not be read. */
export type MirroredRow = readonly [key: string, row: FoundRow]

/** The head of a frame with rows. */
export interface RowsHead {
  /** Epoch of the database. Stamps of different databases can't be compared, and files outlive their database. */
  readonly epoch: string
  /** Stamp of the commit; of a snapshot: it has at least everything up to this stamp. */
  readonly stamp: number
  /** Stamp of the commit before; `null`: it belongs to a snapshot. */
  readonly previous: number | null
  /** Counts the frames of one commit, or of one snapshot, from 1. */
  readonly part: number
  /** How many there are; 0 in all but the last one. */
  readonly of: number
}

/** Rows that were stored together, or a part of them. */
export interface MirroredRows extends RowsHead {
  readonly collection: string
  readonly rows: readonly MirroredRow[]
}

/** A frame says that rows of another database were restored, so that they never are again. */
export interface RestoredMark {
  /** Epoch of the database that has them now. */
  readonly epoch: string
  /** Epoch of the lost one. */
  readonly lost: string
  /**
   * Stamp of the newest commit that was restored. A database that seemed lost may come back, and be changed again, if it
   * is in another bucket.
   */
  readonly upTo: number
}

/**
 * Approximate length of one frame's text. A frame has at least one row, however long it is. Frames of commits are
 * rewritten whenever one of their rows is replaced.
 */
export const commitLength = 2 ** 16
export const snapshotLength = 2 ** 20

/** The head of a text with rows: `["epoch",7,5,1,1,`. */
const headPattern = /^\["([0-9a-f]+)",(\d+),(-?\d+|null),(\d+),(\d+),/
const markPattern = /^\["([0-9a-f]+)","restored","([0-9a-f]+)",(\d+)\]/
/** How many bytes have it. */
const headBytes = 160

export function textOfRows({ epoch, stamp, previous, part, of, collection, rows }: MirroredRows): string {
  return JSON.stringify([epoch, stamp, previous, part, of, collection, rows.map(packRow)])
}

export const textOfMark = ({ epoch, lost, upTo }: RestoredMark): string =>
  JSON.stringify([epoch, 'restored', lost, upTo])

/** Reads the head alone. @returns `undefined` for any other text */
export function parseRowsHead(body: Uint8Array): RowsHead | undefined {
  const [, epoch, stamp, previous, part, of] = headPattern.exec(textOf(body.subarray(0, headBytes))) ?? []
  if (epoch === undefined) return undefined
  return {
    epoch,
    stamp: Number(stamp),
    previous: previous === 'null' ? null : Number(previous),
    part: Number(part),
    of: Number(of),
  }
}

/** @returns `undefined` for any other text */
export function parseMark(body: Uint8Array): RestoredMark | undefined {
  const [, epoch, lost, upTo] = markPattern.exec(textOf(body.subarray(0, headBytes))) ?? []
  return epoch === undefined || lost === undefined ? undefined : { epoch, lost, upTo: Number(upTo) }
}

/** @returns `undefined` for any other text */
export function parseRows(body: Uint8Array): MirroredRows | undefined {
  const head = parseRowsHead(body)
  try {
    const [, , , , , collection, packed] = head ? (JSON.parse(textOf(body)) as unknown[]) : []
    if (head === undefined || typeof collection !== 'string' || !Array.isArray(packed)) return undefined
    return { ...head, collection, rows: packed.map(unpackRow) }
  } catch {
    return undefined
  }
}

/** Splits rows into parts for frames of about that length. */
export function* inParts(
  rows: Iterable<MirroredRow>,
  frameLength: number,
): Generator<readonly MirroredRow[], void, undefined> {
  let part: MirroredRow[] = []
  let length = 0
  for (const one of rows) {
    part.push(one)
    length += one[0].length + (one[1]?.data.length ?? 0)
    if (length < frameLength) continue
    yield part
    part = []
    length = 0
  }
  if (part.length > 0) yield part
}

/** Sealed rows have more fields, which stay as they are. */
function packRow([key, row]: MirroredRow): unknown {
  if (!row) return [key, row === null ? 0 : null]
  const { data, size, crc, ...more } = row
  return [key, typeof data === 'string' ? [data, size, crc, 0, more] : [toBase64(data), size, crc, 1, more]]
}

/** @throws when it is no such row */
function unpackRow(packed: unknown): MirroredRow {
  const [key, row] = packed as [string, unknown]
  if (!Array.isArray(row)) return [key, row === 0 ? null : undefined]
  const [data, size, crc, isBytes, more] = row as [string, number, number, number, object]
  return [key, { ...more, data: isBytes ? fromBase64(data) : data, size, crc } satisfies StoredRow]
}

/** Names a row in lists of rows of all collections. */
export const rowId = (collection: string, key: string): string => `${collection.length}:${collection}${key}`
