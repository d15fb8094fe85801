import { textOf } from './frame.ts'
import { parseEntries } from './mirrored-text.ts'
import type { FramePlace } from './mirror-writer.ts'
import { readFrames } from './read-frames.ts'

/** What a file holds under a session's key. */
export interface FoundSession {
  readonly places: readonly FramePlace[]
  /** Local numbers of the sessions that had the key, one after the other. */
  readonly sessions: ReadonlySet<number>
}

/** Looks for the entries of a session. @param isSought - by its local number */
export async function findSession(file: Blob, key: string, isSought: (session: number) => boolean = () => true): Promise<FoundSession> {
  const start = new TextEncoder().encode(`[${JSON.stringify(key)},`)
  const places: FramePlace[] = []
  const sessions = new Set<number>()
  for await (const frames of readFrames(file)) {
    for (const { head, body, from, to } of frames) {
      if (head.kind !== 'entries' || !start.every((byte, i) => body[i] === byte)) continue
      const { session } = parseEntries(textOf(body)) ?? { session: 0 }
      if (!isSought(session)) continue
      places.push({ from, to })
      sessions.add(session)
    }
  }
  return { places, sessions }
}
