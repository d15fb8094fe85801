import type { SessionErasure } from '../contract/backend.ts'
import type { SequenceRanges } from '../contract/entry.ts'
import { pushAll } from '../domain/push-all.ts'
import { blankPurged, findPurged } from './blank-purged.ts'
import type { SessionFrame } from './find-session.ts'
import type { MirroredCommit } from './mirror-commits.ts'
import type { MirrorFolder } from './mirror-folder.ts'
import { parseMirrorName } from './mirror-names.ts'
import { blankInFile, type FramePlace } from './mirror-writer.ts'
import { erasureText } from './mirrored-text.ts'
import { createSessionFinder } from './session-finder.ts'
import type { WorkerFile } from './worker-file.ts'

/** The finder frees its memory after this many commits without an erasure. */
const commitsUntilRest = 256

/** Erases sessions and entries from the files of a mirror. */
export interface MirrorEraser {
  /** Announces the erasure of sessions, and erases them once that is stored. */
  erase(erased: readonly SessionErasure[]): Promise<MirroredCommit>
  /**
   * Erases a session from the worker's own file.
   *
   * @param session - local number of the session that has the key now, which stays
   * @param before - only what stands before this place of the file; absent: everything
   */
  forget(key: string, session: number | undefined, before?: number): void
  /** Erases entries from the worker's own file, after all earlier erasures from it. */
  forgetEntries(key: string, purged: SequenceRanges): Promise<void>
  /** Erases entries from all files. */
  blank(key: string, purged: SequenceRanges): Promise<void>
  /** A commit without an erasure was written. */
  noteCommit(): void
  /** Resolves when all erasures from the worker's own file are done. */
  idle(): Promise<void>
}

/**
 * @param name - of the worker's own file
 * @param isEmpty - whether the worker's own file has no entries
 */
export function createMirrorEraser(
  folder: MirrorFolder,
  name: string,
  file: WorkerFile,
  isEmpty: () => boolean,
): MirrorEraser {
  const finder = createSessionFinder(folder)
  let commits = 0
  let forgetting: Promise<void> = Promise.resolve()

  function forgetEntries(key: string, purged: SequenceRanges): Promise<void> {
    forgetting = forgetting
      .then(async () => {
        const held = file.writer() === undefined || isEmpty() ? undefined : await folder.read(name)
        if (held !== undefined) file.writer()?.rewrite(await findPurged(held, { key, purged }))
      })
      .catch(file.stop)
    return forgetting
  }

  return {
    erase: async (erased) => {
      const announced: FramePlace[] = []
      const found: (readonly [file: string, frames: readonly SessionFrame[]])[] = []
      commits = 0
      for (const { key, session } of erased) {
        const held = (await finder.find(key).catch(file.stop)) ?? []
        pushAll(found, held)
        const sessions = [...new Set([session, ...held.flatMap(([, frames]) => frames.map((frame) => frame.session))])]
        file.write((open) => announced.push(open.add('erased', erasureText({ key, sessions }))))
      }
      file.flush()
      return {
        stored: async () => {
          for (const [other, places] of found) {
            if (other === name) file.blank(places)
            // Living workers are informed of the erasure and handle their own files.
            else await blankInFile(folder, other, places).catch(file.stop)
          }
        },
        undone: () => file.blank(announced),
      }
    },
    forget: (key, session, before = Infinity) => {
      const open = file.writer()
      if (open === undefined || isEmpty()) return
      forgetting = forgetting
        .then(async () => {
          open.blank(
            (await finder.findIn(name, key)).filter((frame) => frame.session !== session && frame.from < before),
          )
        })
        .catch(file.stop)
    },
    forgetEntries,
    blank: async (key, purged) => {
      await forgetEntries(key, purged)
      const others = async (): Promise<void> => {
        for (const other of await folder.list())
          if (other !== name && parseMirrorName(other) !== undefined) await blankPurged(folder, other, { key, purged })
      }
      // The next start erases the entries from files that could not be written now.
      await others().catch(() => undefined)
    },
    noteCommit: () => {
      if (++commits === commitsUntilRest) finder.rest()
    },
    idle: () => forgetting,
  }
}
