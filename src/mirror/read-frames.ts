import { type FoundFrame, findFrames, textOf } from './frame.ts'
import type { FramePlace } from './mirror-writer.ts'

/** How many bytes of a file are read at a time. */
const pieceBytes = 2 ** 22

/** The frames of a file in order, piece by piece. Damaged ones are skipped. */
export async function* readFrames(file: Blob): AsyncGenerator<readonly FoundFrame[], void, undefined> {
  let from = 0
  let size = pieceBytes
  while (from < file.size) {
    const to = Math.min(from + size, file.size)
    const { frames, rest } = findFrames(new Uint8Array(await file.slice(from, to).arrayBuffer()), to === file.size)
    const at = from
    yield frames.map((frame) => ({ ...frame, from: at + frame.from, to: at + frame.to }))
    if (to === file.size) return
    // A frame that is longer than the piece needs a larger piece.
    size = rest === 0 ? size * 2 : pieceBytes
    from += rest
  }
}

/** The text of the frame at a place of a file; `undefined` when it is missing or damaged. */
export async function readFrameText(file: Blob, { from, to }: FramePlace): Promise<string | undefined> {
  const frame = await readFrame(file, { from, to })
  return frame && textOf(frame.body)
}

/** The frame at a place of a file; `undefined` when it is missing or damaged. */
export async function readFrame(file: Blob, { from, to }: FramePlace): Promise<FoundFrame | undefined> {
  const [frame] = findFrames(new Uint8Array(await file.slice(from, to).arrayBuffer()), true).frames
  return frame && { ...frame, from, to }
}
