import { type FoundFrame, textOf } from './frame.ts'
import type { FramePlace } from './mirror-writer.ts'
import { readFrames } from './read-frames.ts'

/** Where a file has entries under a session's key. */
export interface SessionFrame extends FramePlace {
  /** Local number of the session that had the key then. */
  readonly session: number
}

/** Digits of a local number, at most. */
const longestNumber = 16

/** Looks for what a file holds under a session's key. */
export async function findSession(file: Blob, key: string): Promise<readonly SessionFrame[]> {
  const start = startOf(key)
  const isMeant = isOfSession(key)
  const found: SessionFrame[] = []
  for await (const frames of readFrames(file)) {
    for (const frame of frames) {
      const { body, from, to } = frame
      // Its number comes next; to parse the whole takes long.
      if (isMeant(frame)) found.push({ from, to, session: Number.parseInt(textOf(body.subarray(start.length, start.length + longestNumber))) })
    }
  }
  return found
}

/** Tells frames that have entries under a session's key. */
export function isOfSession(key: string): (frame: FoundFrame) => boolean {
  const start = startOf(key)
  return ({ head, body }) => head.kind === 'entries' && start.every((byte, i) => body[i] === byte)
}

const startOf = (key: string): Uint8Array => new TextEncoder().encode(`[${JSON.stringify(key)},`)
