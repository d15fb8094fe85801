import { crcOfBytes } from '../domain/crc32.ts'

/**
 * The content of a frame. `entries`: entries of one session, as a commit wrote them. `erased`: the announcement that
 * all entries which a session had then are erased for good. `blank`: nothing, because its text was overwritten. `rows`:
 * rows of a collection, as a commit changed them or as a snapshot found them.
 */
export type FrameKind = 'blank' | 'entries' | 'erased' | 'rows'

const kinds: readonly FrameKind[] = ['blank', 'entries', 'erased', 'rows']

/** Marks the start of a frame, so that reading can continue after damage. */
const magic = 0x6b73_6d31
/** Bytes in front of a frame's text: magic, kind, number, confirmed, length of the text, checksum. */
export const frameHeader = 24
/** The maximum length of a frame's text. A greater length is a sign of damage. */
const longestText = 2 ** 26

/** The fields in front of a frame's text. */
export interface FrameHead {
  readonly kind: FrameKind
  /** Counts the frames of a file, from 1. */
  readonly number: number
  /** The newest frame of the file that was known to be stored when this one was written. */
  readonly confirmed: number
}

export interface Frame extends FrameHead {
  readonly text: string
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

export function encodeFrame({ text, ...head }: Frame): Uint8Array<ArrayBuffer> {
  // A UTF-16 unit has up to three bytes.
  const bytes = new Uint8Array(frameHeader + text.length * 3)
  const length = encoder.encodeInto(text, bytes.subarray(frameHeader)).written
  setHead(bytes, head, length, crcOfBytes(bytes.subarray(frameHeader, frameHeader + length)))
  return bytes.subarray(0, frameHeader + length)
}

/**
 * Writes the fields in front of a frame's text. @param length - of the text in bytes @param crc - the CRC-32 of these
 */
export function setHead(
  bytes: Uint8Array<ArrayBuffer>,
  { kind, number, confirmed }: FrameHead,
  length: number,
  crc: number,
): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const fields = [magic, kinds.indexOf(kind), number, confirmed, length]
  fields.forEach((value, i) => view.setUint32(i * 4, value))
  view.setUint32(20, checksum(bytes, crc))
}

/** A frame that was found in a piece of a file. */
export interface FoundFrame {
  readonly head: FrameHead
  /** Where it begins, and where the next one does. */
  readonly from: number
  readonly to: number
  /** Its text as bytes. */
  readonly body: Uint8Array
}

/** How the search for frames in a piece of a file ended. */
export interface FoundFrames {
  readonly frames: readonly FoundFrame[]
  /** From this position on there may be the start of a frame that continues after the piece. */
  readonly rest: number
}

/** Finds the frames in a piece of a file, and skips damaged bytes. */
export function findFrames(piece: Uint8Array, isEnd: boolean): FoundFrames {
  const view = new DataView(piece.buffer, piece.byteOffset, piece.byteLength)
  const frames: FoundFrame[] = []
  let from = 0
  while (from + frameHeader <= piece.length) {
    const kind = kinds[view.getUint32(from + 4)]
    const length = view.getUint32(from + 16)
    const to = from + frameHeader + length
    if (view.getUint32(from) === magic && kind !== undefined && length <= longestText) {
      // The length may be wrong. That is only certain once the end of the file is known.
      if (to > piece.length && !isEnd) return { frames, rest: from }
      const bytes = piece.subarray(from, to)
      if (
        to <= piece.length &&
        view.getUint32(from + 20) === checksum(bytes, crcOfBytes(bytes.subarray(frameHeader)))
      ) {
        frames.push({
          head: { kind, number: view.getUint32(from + 8), confirmed: view.getUint32(from + 12) },
          from,
          to,
          body: bytes.subarray(frameHeader),
        })
        from = to
        continue
      }
    }
    from++
  }
  return { frames, rest: from }
}

export const textOf = (body: Uint8Array): string => decoder.decode(body)

/** Covers everything but the checksum itself. @param crc - of the text */
function checksum(head: Uint8Array, crc: number): number {
  return (crc ^ crcOfBytes(head.subarray(0, 20))) >>> 0
}

/** A frame with another text of at most the same length. Spaces fill it up, so that it can replace the frame. */
export function withText({ head, from, to }: Omit<FoundFrame, 'body'>, text: string): Uint8Array<ArrayBuffer> {
  const left = to - from - encodeFrame({ ...head, text }).length
  // A text that does not fit was not made from the frame's own. All of it is blanked, because what is taken out must not
  // stay.
  return encodeFrame({ ...head, text: left < 0 ? ' '.repeat(to - from - frameHeader) : text + ' '.repeat(left) })
}
