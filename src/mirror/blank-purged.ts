import type { SequenceRanges } from '../contract/entry.ts'
import { isOfSession } from './find-session.ts'
import type { MirrorFolder } from './mirror-folder.ts'
import { type RewrittenFrame, rewriteFrames } from './mirror-writer.ts'
import { readFrames } from './read-frames.ts'
import { withoutPurged } from './without-purged.ts'

/** Entries of a session that were erased for good. */
export interface PurgedEntries {
  readonly key: string
  readonly purged: SequenceRanges
}

/** The frames of a file that contain such entries, rewritten without them. */
export async function findPurged(file: Blob, { key, purged }: PurgedEntries): Promise<readonly RewrittenFrame[]> {
  const isMeant = isOfSession(key)
  const found: RewrittenFrame[] = []
  for await (const frames of readFrames(file)) {
    for (const frame of frames) {
      const bytes = isMeant(frame) ? withoutPurged(frame, purged) : undefined
      if (bytes !== undefined) found.push({ at: frame.from, bytes })
    }
  }
  return found
}

/** Removes entries from a file that nobody has open. */
export async function blankPurged(folder: MirrorFolder, name: string, entries: PurgedEntries): Promise<void> {
  const held = await folder.read(name)
  const frames = held === undefined ? [] : await findPurged(held, entries)
  const last = frames.at(-1)
  if (held === undefined || last === undefined) return
  const file = await folder.open(name)
  if (file === undefined) return
  try {
    // A file that is smaller now was joined with others in the meantime.
    if (file.getSize() >= held.size) rewriteFrames(file, frames)
  } finally {
    file.close()
  }
}
