import type { AnsweredWrite } from '../contract/answered-write.ts'
import type { CoreBackend, JournalMark } from '../contract/backend.ts'
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
  readonly arrive: (answered: readonly AnsweredWrite[]) => Promise<void>
}

/**
 * Stores what other workers answered and the database does not have, because they died first: the end of each journal,
 * behind its mark. A worker that is alive stores its own; it does no harm when both do.
 */
export async function foldTails({ backend, folder, epoch, arrive }: TailsPlace): Promise<void> {
  const gone: string[] = []
  for (const { boot, upTo } of await backend.listJournals()) {
    const file = await folder.read(mirrorName({ epoch, boot }))
    if (file === undefined) gone.push(boot)
    // The last frame of a file that was closed is blank.
    else if (file.size > upTo + frameHeader) {
      for (const answered of (await readTail(file, upTo)).values()) await arrive(answered)
      await note(backend, { boot, upTo: file.size })
    }
  }
  // The files were joined with others, which took in everything first.
  if (gone.length > 0) void backend.forgetJournals(gone).catch(() => undefined)
}

async function note(backend: Pick<CoreBackend, 'commit'>, journal: JournalMark): Promise<void> {
  await backend.commit({ sessions: [], erase: [], journal }, 'relaxed')
}

/** The answered writes behind a place of a journal, by session key. */
async function readTail(file: Blob, from: number): Promise<ReadonlyMap<string, readonly AnsweredWrite[]>> {
  const found = new Map<string, AnsweredWrite[]>()
  for await (const frames of readFrames(file.slice(from))) {
    for (const { head, body } of frames) {
      const answered = head.kind === 'entries' ? parseAnswered(textOf(body)) : undefined
      if (answered === undefined) continue
      const known = found.get(answered.key)
      if (known === undefined) found.set(answered.key, [answered])
      else known.push(answered)
    }
  }
  return found
}
