import type { CoreBackend } from '../contract/backend.ts'
import type { AnsweredWrite, JournalMark } from '../contract/journal.ts'
import { isMarked, joinMarks } from '../domain/journal-mark.ts'
import type { ArriveAnswered } from '../storage/engine/writing/arrive-answered.ts'
import type { JournalMarks } from '../storage/indexeddb/journal-marks.ts'
import { frameHeader, textOf } from './frame.ts'
import type { MirrorFolder } from './mirror-folder.ts'
import { mirrorName } from './mirror-names.ts'
import { parseAnswered } from './mirrored-text.ts'
import { readFrames } from './read-frames.ts'
import { retryReading } from './retry-reading.ts'

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
      const tail = await retryReading(async () => {
        const file = await folder.read(mirrorName({ epoch, boot: mark.boot }))
        return file && readTail(file, mark)
      })
      if (tail === undefined) gone.push(mark.boot)
      else if (tail.end > mark.upTo) await foldTail(tail, mark)
    } catch (error) {
      reason = error
    }
  }
  // The files were joined with others, which took in everything first.
  if (gone.length > 0) void backend.forgetJournals(gone).catch(() => undefined)
  // The other tails are stored nevertheless.
  if (reason !== undefined) throw reason

  async function foldTail({ writes, end }: Tail, mark: JournalMark): Promise<void> {
    let after = mark
    /** Why the database takes nothing of a session, and where the first one of these begins. */
    let refused: { readonly reason: unknown; readonly from: number } | undefined
    const tails = [...writes]
    for (const [i, [key, { answered, from, to }]] of tails.entries()) {
      // What is before the next session's first frame is stored, so that the mark names only sessions with frames behind
      // it. With all of them, it would grow with each transaction.
      const upTo = Math.min(tails[i + 1]?.[1].from ?? end, refused?.from ?? end)
      const next = joinMarks(after, { ...mark, upTo, ahead: [[key, to]] })
      try {
        // Its own worker lives after all, or another one is at it.
        if (!(await arrive(answered, { ...next, after }))) return
        after = next
      } catch (error) {
        refused ??= { reason: error, from }
      }
    }
    // The next start tries these again.
    if (refused !== undefined) throw refused.reason
    await backend.commit({ sessions: [], erase: [], journal: { boot: mark.boot, upTo: end, after } }, 'relaxed')
  }
}

/** The answered writes of one session. */
interface SessionTail {
  readonly answered: AnsweredWrite[]
  /** Where its first frame begins, and where its last one ends. */
  readonly from: number
  to: number
}

/** What is behind the mark of a journal. */
interface Tail {
  /** The answered writes by session key, in the order of their first frames. */
  readonly writes: ReadonlyMap<string, SessionTail>
  /** Where the last whole frame ends. */
  readonly end: number
}

async function readTail(file: Blob, mark: JournalMark): Promise<Tail> {
  const { upTo } = mark
  let end = upTo
  const found = new Map<string, SessionTail>()
  // The last frame of a file that was closed is blank.
  if (file.size <= upTo + frameHeader) return { writes: found, end }
  for await (const frames of readFrames(file.slice(upTo))) {
    for (const { head, body, from, to } of frames) {
      end = upTo + to
      const answered = head.kind === 'entries' ? parseAnswered(textOf(body)) : undefined
      if (answered === undefined || isMarked(mark, answered.key, end)) continue
      const known = found.get(answered.key)
      if (known === undefined) found.set(answered.key, { answered: [answered], from: upTo + from, to: end })
      else {
        known.answered.push(answered)
        known.to = end
      }
    }
  }
  return { writes: found, end }
}
