import type { SequenceRanges } from '../contract/entry.ts'
import type { SessionErasure } from '../contract/write-batch.ts'
import { blankPurged, findPurged } from './blank-purged.ts'
import { createErasureFile } from './erasure-file.ts'
import type { SessionFrame } from './find-session.ts'
import type { ListMarks, MirroredCommit } from './mirror-commits.ts'
import type { MirrorFolder } from './mirror-folder.ts'
import { type MirrorName, mirrorName, parseMirrorName } from './mirror-names.ts'
import { blankInFile } from './mirror-writer.ts'
import { erasureText } from './mirrored-text.ts'
import { createSessionFinder, type SessionFinder } from './session-finder.ts'
import { withoutBegun } from './without-begun.ts'
import type { WorkerFile } from './worker-file.ts'

/** The finder frees its memory after this many commits without an erasure. */
const commitsUntilRest = 256

type FoundFrames = Awaited<ReturnType<SessionFinder['find']>>

/** Erases sessions and entries from the files of a mirror. */
export interface MirrorEraser {
  /** Announces the erasure of sessions, and erases them once that is stored. */
  erase(erased: readonly SessionErasure[], listMarks: ListMarks): Promise<MirroredCommit>
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
  close(): Promise<void>
}

/**
 * @param own - the worker's own file
 * @param isEmpty - whether the worker's own file has no entries
 */
export function createMirrorEraser(
  folder: MirrorFolder,
  own: MirrorName,
  file: WorkerFile,
  isEmpty: () => boolean,
): MirrorEraser {
  const name = mirrorName(own)
  const finder = createSessionFinder(folder)
  const spare = createErasureFile(folder, own.epoch)
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

  /** @returns a function that withdraws the announcement */
  async function announce(text: string): Promise<() => void> {
    const place = file.announce(text)
    if (place !== undefined) return () => file.blank([place])
    // When no file takes it, the session is erased nevertheless: this may be what makes room.
    return spare.announce(text).catch(() => () => undefined)
  }

  return {
    erase: async (erased, listMarks) => {
      const withdrawals: (() => void)[] = []
      commits = 0
      const held: (readonly [erasure: SessionErasure, found: FoundFrames])[] = []
      for (const one of erased) held.push([one, (await finder.find(one.key).catch(file.stop)) ?? []])
      // Later than the frames: what is stored by then is erased with the session.
      const marks = (await listMarks().catch(() => undefined)) ?? []
      const places: [file: string, frames: readonly SessionFrame[]][] = []
      for (const [one, files] of held) {
        const sessions = new Set([one.session])
        for (const [other, all] of files) {
          const place = { read: folder.read, epoch: own.epoch, marks }
          const frames = other === name ? all : await withoutBegun(place, other, one, all)
          for (const { session } of frames) sessions.add(session)
          places.push([other, frames])
        }
        withdrawals.push(await announce(erasureText({ key: one.key, sessions: [...sessions] })))
      }
      return {
        stored: async () => {
          for (const [other, frames] of places) {
            if (other === name) file.blank(frames)
            // Living workers are informed of the erasure and handle their own files.
            else await blankInFile(folder, other, frames).catch(file.stop)
          }
        },
        undone: () => withdrawals.forEach((withdraw) => withdraw()) as undefined,
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
    close: async () => {
      await forgetting
      await spare.close()
    },
  }
}
