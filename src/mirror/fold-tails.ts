import type { CoreBackend } from '../contract/backend.ts'
import type { AnsweredWrite, JournalMark } from '../contract/journal.ts'
import type { ArriveAnswered } from '../storage/engine/writing/arrive-answered.ts'
import type { JournalMarks } from '../storage/indexeddb/journal-marks.ts'
import { frameHeader, textOf } from './frame.ts'
import type { MirrorFolder } from './mirror-folder.ts'
import { mirrorName } from './mirror-names.ts'
import { parseAnswered } from './mirrored-text.ts'
import { readFrames } from './read-frames.ts'

export interface TailsPlace {
  readonly backend: Pick<CoreBackend, 'commit'> & JournalMarks
  readonly folder: MirrorFolder
  /** Epoch of the database. */
  readonly epoch: string
  /** Stores answered entries of one session. */
  readonly arrive: ArriveAnswered
}

/**
 * Stores what other workers answered and the database does not have, because they died first: the end of each journal,
 * behind its mark. A worker that is alive stores its own; it does no harm when both do.
 */
export async function foldTails({ backend, folder, epoch, arrive }: TailsPlace): Promise<void> {
  const gone: string[] = []
  let reason: unknown
  for (const mark of await backend.listJournals()) {
    try {
      const file = await folder.read(mirrorName({ epoch, boot: mark.boot }))
      if (file === undefined) gone.push(mark.boot)
      else await foldTail(file, mark)
    } catch (error) {
      reason = error
    }
  }
  // The files were joined with others, which took in everything first.
  if (gone.length > 0) void backend.forgetJournals(gone).catch(() => undefined)
  // The other tails are stored nevertheless.
  if (reason !== undefined) throw reason

  async function foldTail(file: Blob, { boot, upTo }: JournalMark): Promise<void> {
    // The last frame of a file that was closed is blank.
    if (file.size <= upTo + frameHeader) return
    const { writes, end } = await readTail(file, upTo)
    // Its own worker lives after all, or another one is at it.
    for (const answered of writes.values()) if (!(await arrive(answered, { boot, upTo }))) return
    await backend.commit({ sessions: [], erase: [], journal: { boot, upTo: end, after: upTo } }, 'relaxed')
  }
}

/** The answered writes behind a place of a journal, by session key, and where its last whole frame ends. */
async function readTail(
  file: Blob,
  from: number,
): Promise<{ readonly writes: ReadonlyMap<string, readonly AnsweredWrite[]>; readonly end: number }> {
  let end = from
  const found = new Map<string, AnsweredWrite[]>()
  for await (const frames of readFrames(file.slice(from))) {
    for (const { head, body, to } of frames) {
      end = from + to
      const answered = head.kind === 'entries' ? parseAnswered(textOf(body)) : undefined
      if (answered === undefined) continue
      const known = found.get(answered.key)
      if (known === undefined) found.set(answered.key, [answered])
      else known.push(answered)
    }
  }
  return { writes: found, end }
}
