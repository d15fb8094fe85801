import type { JournalMark } from '../contract/journal.ts'
import { isMarked } from '../domain/journal-mark.ts'
import type { SessionFrame } from './find-session.ts'
import type { MirrorFolder } from './mirror-folder.ts'
import { parseMirrorName } from './mirror-names.ts'
import { parseAnswered } from './mirrored-text.ts'
import { readFrameText } from './read-frames.ts'

/** Where the frames were found. */
export interface FoundPlace extends Pick<MirrorFolder, 'read'> {
  /** Epoch of the database. */
  readonly epoch: string
  readonly marks: readonly JournalMark[]
}

/**
 * Leaves out what other workers have begun under a key and the database has nothing of yet: it is no part of the session
 * that is erased, and will be stored.
 *
 * @param frames - those of a file under the key
 * @param session - local number of the session that is erased
 */
export async function withoutBegun(
  { read, epoch, marks }: FoundPlace,
  file: string,
  { key, session }: { readonly key: string; readonly session: number },
  frames: readonly SessionFrame[],
): Promise<readonly SessionFrame[]> {
  const name = parseMirrorName(file)
  const mark = name?.epoch === epoch ? marks.find(({ boot }) => boot === name.boot) : undefined
  if (mark === undefined) return frames
  const begun = new Set<number>()
  const seen = new Set([session])
  for (const frame of frames) {
    if (seen.has(frame.session)) continue
    // A session begins with its first frame.
    seen.add(frame.session)
    if (isMarked(mark, key, frame.to)) continue
    // What can't be read now counts as part of the session: it must not come back.
    const text = await read(file)
      .then((blob) => blob && readFrameText(blob, frame))
      .catch(() => undefined)
    if (text !== undefined && parseAnswered(text)?.since === 0) begun.add(frame.session)
  }
  return frames.filter((frame) => !begun.has(frame.session))
}
