import { encodeFrame, frameHeader, type FrameKind } from './frame.ts'
import type { MirrorFile, MirrorFolder } from './mirror-folder.ts'

/** Writes the file of one worker. */
export interface MirrorWriter {
  /** Adds a frame, at once. @returns where it is */
  add(kind: FrameKind, text: string): FramePlace
  /** Says that every frame so far was stored. */
  confirm(): void
  /** Overwrites the texts of these frames. */
  blank(places: readonly FramePlace[]): void
  /** Writes frames over those in their places. */
  rewrite(frames: readonly RewrittenFrame[]): void
  flush(): void
  close(): void
}

/** A frame to be written over the one in its place, which is as long. */
export interface RewrittenFrame {
  readonly at: number
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** Where a frame of a file begins, and where the next one does. */
export interface FramePlace {
  readonly from: number
  readonly to: number
}

/** @throws what the file throws, and RangeError when there is no room; nothing may be added after that */
export function createMirrorWriter(file: MirrorFile): MirrorWriter {
  let end = file.getSize()
  let number = 0
  let confirmed = 0

  return {
    add: (kind, text) => {
      number += 1
      const bytes = encodeFrame({ kind, number, confirmed, text })
      if (file.write(bytes, { at: end }) !== bytes.length) throw new RangeError('There is no room for the mirror.')
      const from = end
      end += bytes.length
      return { from, to: end }
    },
    confirm: () => {
      confirmed = number
    },
    blank: (places) => blankFrames(file, places),
    rewrite: (frames) => rewriteFrames(file, frames),
    flush: () => file.flush(),
    close: () => file.close(),
  }
}

/** Overwrites frames with one that holds nothing, so that what was in them is gone and those behind are found at once. */
export function blankFrames(file: MirrorFile, places: readonly FramePlace[]): void {
  for (const { from, to } of places) {
    file.write(encodeFrame({ kind: 'blank', number: 0, confirmed: 0, text: ' '.repeat(to - from - frameHeader) }), { at: from })
  }
  file.flush()
}

/** Writes frames over those in their places. */
export function rewriteFrames(file: MirrorFile, frames: readonly RewrittenFrame[]): void {
  for (const { at, bytes } of frames) file.write(bytes, { at })
  if (frames.length > 0) file.flush()
}

/** Overwrites frames of a file that nobody has open, and that was not joined with others meanwhile. */
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
