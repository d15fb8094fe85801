import { createFrameAdder, type FrameText, noRoom } from './add-frame.ts'
import { encodeFrame, type FrameKind, frameHeader } from './frame.ts'
import type { MirrorFile, MirrorFolder } from './mirror-folder.ts'

/** Writes the file of one worker. */
export interface MirrorWriter {
  /** Adds a frame at the end. @returns its place */
  add(kind: FrameKind, text: FrameText): FramePlace
  /** Keeps room at the end for announcements. @throws RangeError when there is none */
  reserve(bytes: number): void
  /**
   * Announces an erasure: at the end, or in the reserve where the file can't grow, even after another frame could not be
   * added. @returns its place. @throws RangeError when the reserve is full
   */
  announce(text: string): FramePlace
  /** Where the next frame begins. */
  end(): number
  /** Every frame so far was stored. The next frame records it. */
  confirm(): void
  /** Overwrites the texts of these frames. */
  blank(places: readonly FramePlace[]): void
  /** Replaces frames. */
  rewrite(frames: readonly RewrittenFrame[]): void
  flush(): void
  close(): void
}

/** A frame that replaces another one of the same length. */
export interface RewrittenFrame {
  readonly at: number
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** Where a frame of a file begins, and where the next one does. */
export interface FramePlace {
  readonly from: number
  readonly to: number
}

/** @throws what the file throws, and RangeError when there is no room. Nothing may be added but announcements after that */
export function createMirrorWriter(file: MirrorFile): MirrorWriter {
  let end = file.getSize()
  let number = 0
  let confirmed = 0
  /** What is left of the reserve, and where the whole begins. */
  let spare: FramePlace | undefined
  let reserved = 0

  const addFrame = createFrameAdder(file)

  function add(kind: FrameKind, text: FrameText): FramePlace {
    number += 1
    const from = end
    end = addFrame({ kind, number, confirmed }, text, from)
    return { from, to: end }
  }

  /** Splits the reserve into the announcement and what is left of it. */
  function addInReserve(text: string): FramePlace {
    const { from, to } = spare ?? { from: 0, to: 0 }
    const frame = encodeFrame({ kind: 'erased', number: ++number, confirmed, text })
    const left = to - from - frame.length
    if (left < frameHeader) throw noRoom()
    const bytes = new Uint8Array(to - from)
    bytes.set(frame)
    bytes.set(blankFrame(left), frame.length)
    if (file.write(bytes, { at: from }) !== bytes.length) throw noRoom()
    spare = { from: from + frame.length, to }
    return { from, to: spare.from }
  }

  return {
    add,
    reserve: (bytes) => {
      spare = add('blank', ' '.repeat(bytes))
      reserved = spare.from
    },
    announce: (text) => {
      try {
        return add('erased', text)
      } catch {
        return addInReserve(text)
      }
    },
    end: () => end,
    confirm: () => {
      confirmed = number
    },
    blank: (places) => {
      blankFrames(file, places)
      // A purge that failed may be tried again and again.
      for (const { from, to } of places)
        if (spare !== undefined && from >= reserved && to === spare.from) spare = { from, to: spare.to }
    },
    rewrite: (frames) => rewriteFrames(file, frames),
    flush: () => file.flush(),
    close: () => file.close(),
  }
}

const blankFrame = (bytes: number): Uint8Array<ArrayBuffer> =>
  encodeFrame({ kind: 'blank', number: 0, confirmed: 0, text: ' '.repeat(bytes - frameHeader) })

/** Overwrites frames with blank ones, so that their content is erased and the frames after them are still found. */
function blankFrames(file: MirrorFile, places: readonly FramePlace[]): void {
  for (const { from, to } of places) {
    file.write(blankFrame(to - from), { at: from })
  }
  file.flush()
}

/** Replaces frames. */
export function rewriteFrames(file: MirrorFile, frames: readonly RewrittenFrame[]): void {
  for (const { at, bytes } of frames) file.write(bytes, { at })
  if (frames.length > 0) file.flush()
}

/** Blanks frames of a file, unless it is open elsewhere or was joined with others in the meantime. */
export async function blankInFile(folder: MirrorFolder, name: string, places: readonly FramePlace[]): Promise<void> {
  const last = places.at(-1)
  const held = last && (await folder.read(name))
  const file = held && held.size >= last.to ? await folder.open(name) : undefined
  if (file === undefined) return
  try {
    blankFrames(file, places)
  } finally {
    file.close()
  }
}

/**
 * Replaces frames of a file, unless it is open elsewhere or was joined with others in the meantime.
 *
 * @param size - of the file when the frames were found: a file that is smaller now was joined
 */
export async function rewriteInFile(
  folder: MirrorFolder,
  name: string,
  size: number,
  frames: readonly RewrittenFrame[],
): Promise<void> {
  if (frames.length === 0 || (await folder.read(name)) === undefined) return
  const file = await folder.open(name)
  if (file === undefined) return
  try {
    if (file.getSize() >= size) rewriteFrames(file, frames)
  } finally {
    file.close()
  }
}
