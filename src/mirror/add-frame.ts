import { crcOfBytes } from '../domain/crc32.ts'
import { textPiece } from '../domain/text-piece.ts'
import { type FrameHead, frameHeader, setHead } from './frame.ts'
import type { MirrorFile } from './mirror-folder.ts'

/**
 * A frame's text, whole or as the items of a list with what surrounds them: a single character that is not Latin would
 * double the memory of all items in one string.
 */
export type FrameText = string | ListText

export interface ListText {
  readonly before: string
  /** Commas are put between them. */
  readonly items: readonly string[]
  readonly after: string
}

export const wholeText = (text: FrameText): string =>
  typeof text === 'string' ? text : text.before + text.items.join(',') + text.after

/** Writes a frame at a place of a file. @returns where it ends @throws RangeError when there is no room */
export type AddFrame = (head: FrameHead, text: FrameText, from: number) => number

/** The size of the memory through which all frames go. */
const chunkBytes = 2 ** 18

const encoder = new TextEncoder()

/**
 * Writes frames through the same memory. A burst makes frames of megabytes, and to encode one into fresh memory takes
 * four times as long. A frame that does not fit gets its head last, so that it counts only when all of it is there.
 */
export function createFrameAdder(file: Pick<MirrorFile, 'write'>): AddFrame {
  let chunk: Uint8Array<ArrayBuffer> | undefined

  function write(bytes: Uint8Array<ArrayBuffer>, at: number): void {
    if (file.write(bytes, { at }) !== bytes.length) throw noRoom()
  }

  return (head, text, from) => {
    const memory = (chunk ??= new Uint8Array(chunkBytes))
    let used = frameHeader
    let at = from
    let crc = 0
    const isFirst = (): boolean => at === from
    const addToCrc = (): void => {
      crc = crcOfBytes(memory.subarray(isFirst() ? frameHeader : 0, used), crc)
    }
    const flush = (): void => {
      addToCrc()
      write(memory.subarray(0, used), at)
      at += used
      used = 0
    }
    const put = (piece: string): void => {
      for (let read = 0; read < piece.length; ) {
        const part = encoder.encodeInto(textPiece(piece, read, chunkBytes), memory.subarray(used))
        read += part.read
        used += part.written
        if (read < piece.length) flush()
      }
    }
    memory.fill(0, 0, frameHeader)
    if (typeof text === 'string') put(text)
    else {
      put(text.before)
      for (let i = 0; i < text.items.length; i++) {
        if (i > 0) {
          if (used === chunkBytes) flush()
          memory[used++] = comma
        }
        put(text.items[i] as string)
      }
      put(text.after)
    }
    const end = at + used
    if (isFirst()) {
      addToCrc()
      setHead(memory, head, end - from - frameHeader, crc)
      write(memory.subarray(0, used), from)
    } else {
      flush()
      setHead(memory, head, end - from - frameHeader, crc)
      write(memory.subarray(0, frameHeader), from)
    }
    return end
  }
}

const comma = 0x2c

export const noRoom = (): RangeError => new RangeError('There is no room for the mirror.')
