import type { SequenceRanges } from '../contract/entry.ts'
import type { JournalMark } from '../contract/journal.ts'
import type { FrameText } from './add-frame.ts'
import { removeBlobFiles, writeBlobFile } from './blob-files.ts'
import type { CommitMirror } from './mirror-commits.ts'
import { createMirrorEraser } from './mirror-eraser.ts'
import type { MirrorFolder } from './mirror-folder.ts'
import { blobName, mirrorName } from './mirror-names.ts'
import type { FramePlace } from './mirror-writer.ts'
import { createOwnRows } from './rows/own-rows.ts'
import { openWorkerFile } from './worker-file.ts'

/** The free space that a mirror needs to start, which is more than a nearly full disk has left. */
const roomBytes = 2 ** 14

/** The mirror of one worker. */
export interface OpenMirror extends CommitMirror {
  /**
   * Writes frames that are answered as soon as they are in the file.
   *
   * @returns up to where the file has each of them; `undefined` when they could not be written, so that none of them
   * counts
   */
  journal(texts: readonly FrameText[]): readonly JournalMark[] | undefined
  /** Where the next frame will be; `undefined` while nothing can be written. */
  end(): JournalMark | undefined
  /** Whether its file can grow. It finds out by writing a blank frame. */
  hasRoom(): Promise<boolean>
  /** A session was erased by another store. @param session - local number of the session that has its key now */
  forget(key: string, session: number | undefined, before: JournalMark | undefined): void
  /** Entries of a session were erased by another store. */
  forgetEntries(key: string, purged: SequenceRanges): void
}

export interface MirrorPlace {
  readonly folder: MirrorFolder
  /** Epoch of the database. */
  readonly epoch: string
  /** Drawn for this start of a worker. */
  readonly boot: string
  /** Whether it mirrors commits. Otherwise it only erases from the mirror what the database erases. */
  readonly isWanted?: boolean
}

/**
 * Mirrors the commits of a worker in a file of its own. The file opens in the background, and earlier commits wait for
 * it.
 *
 * @param onStop - called once, with the reason, when nothing more is mirrored; everything mirrored so far stays
 */
export function openMirror(
  { folder, epoch, boot, isWanted = true }: MirrorPlace,
  onStop: (reason: string) => void,
): OpenMirror {
  const name = mirrorName({ epoch, boot })
  let isEmpty = true
  const file = openWorkerFile(folder, name, onStop, () => void ownRows.eraseReplaced())
  const ownRows = createOwnRows({ folder, name, epoch, file })
  const eraser = createMirrorEraser(folder, { epoch, boot }, file, () => isEmpty)
  const { opening } = file

  return {
    isOn: file.isOn,
    hasRoom: async () => {
      await opening
      file.write((open) => void open.add('blank', ' '.repeat(roomBytes)))
      file.flush()
      return file.isOn()
    },
    begin: (texts) => {
      const list = isWanted ? [...texts] : []
      if (list.length === 0) return nothingToSettle
      isEmpty = false
      eraser.noteCommit()
      const places: FramePlace[] = []
      file.write((open) => {
        for (const text of list) places.push(open.add('entries', text))
      })
      return {
        stored: () => {
          file.write((open) => open.confirm())
          file.flushSoon()
          return file.writer() === undefined ? opening : undefined
        },
        undone: () => file.blank(places),
      }
    },
    end: () => {
      const open = isWanted && file.isOn() ? file.writer() : undefined
      return open && { boot, upTo: open.end() }
    },
    journal: (texts) => {
      const open = isWanted && file.isOn() ? file.writer() : undefined
      if (open === undefined) return undefined
      isEmpty = false
      eraser.noteCommit()
      const places: FramePlace[] = []
      file.write(() => {
        for (const text of texts) places.push(open.add('entries', text))
      })
      if (!file.isOn()) return void file.blank(places)
      file.flushSoon()
      return places.map(({ to }) => ({ boot, upTo: to }))
    },
    erase: async (erased, listMarks) => {
      await opening
      isEmpty = false
      return eraser.erase(erased, listMarks)
    },
    forget: (key, session, before) => {
      // Another file has none of it.
      if (before === undefined || before.boot === boot) eraser.forget(key, session, before?.upTo)
    },
    forgetEntries: (key, purged) => void eraser.forgetEntries(key, purged),
    blank: async (key, purged) => {
      await opening
      await eraser.blank(key, purged)
    },
    addRows: (parts) => {
      if (!isWanted || parts.length === 0) return undefined
      isEmpty = false
      return ownRows.add(parts)
    },
    markRestored: (restored) => {
      isEmpty = false
      return ownRows.mark(restored)
    },
    flush: async () => {
      await opening
      file.flush()
    },
    putBlob: async (hash, blob) => {
      if (isWanted) await writeBlobFile(folder, hash, blob).catch(file.stop)
    },
    getBlob: (hash) => folder.read(blobName(hash)).catch(() => undefined),
    dropBlobs: (hashes) => removeBlobFiles(folder, hashes),
    close: async () => {
      await opening
      await eraser.close()
      file.flush()
      await ownRows.eraseReplaced()
      file.close(() => {
        if (isEmpty) return
        // A last frame confirms the one before.
        file.write((open) => void open.add('blank', ''))
        file.flush()
      })
      if (isEmpty) await folder.remove(name).catch(() => false)
    },
  }
}

const nothingToSettle = { stored: () => undefined, undone: () => undefined }
