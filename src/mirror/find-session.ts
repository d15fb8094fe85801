import { type FoundFrame, textOf } from './frame.ts'
import type { FramePlace } from './mirror-writer.ts'
import { readFrames } from './read-frames.ts'

/** A frame with entries of a session. */
export interface SessionFrame extends FramePlace {
  /** Local number of the session that had the key when the frame was written. */
  readonly session: number
}

/** The maximum number of digits of a local number. */
const longestNumber = 16

/** Finds the frames of a file that contain entries of the session with this key. */
export async function findSession(file: Blob, key: string): Promise<readonly SessionFrame[]> {
  const start = startOf(key)
  const isMeant = isOfSession(key)
  const found: SessionFrame[] = []
  for await (const frames of readFrames(file)) {
    for (const frame of frames) {
      const { body, from, to } = frame
      // The number comes next. Parsing the whole text would take long.
      if (isMeant(frame))
        found.push({
          from,
          to,
          session: Number.parseInt(textOf(body.subarray(start.length, start.length + longestNumber)), 10),
        })
    }
  }
  return found
}

/** Whether a frame has entries of the session with this key. */
export function isOfSession(key: string): (frame: FoundFrame) => boolean {
  const start = startOf(key)
  return ({ head, body }) => head.kind === 'entries' && start.every((byte, i) => body[i] === byte)
}

const startOf = (key: string): Uint8Array => new TextEncoder().encode(`[${JSON.stringify(key)},`)
