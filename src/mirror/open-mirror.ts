import type { SequenceRanges } from '../contract/entry.ts'
import { blankPurged, findPurged } from './blank-purged.ts'
import type { SessionFrame } from './find-session.ts'
import type { CommitMirror } from './mirror-commits.ts'
import type { MirrorFolder } from './mirror-folder.ts'
import { blobName, mirrorName, parseMirrorName } from './mirror-names.ts'
import { blankInFile, createMirrorWriter, type FramePlace, type MirrorWriter } from './mirror-writer.ts'
import { createSessionFinder } from './session-finder.ts'
import { erasureText } from './mirrored-text.ts'
import { pushAll } from '../domain/push-all.ts'

/** How long what was written may wait for the disk: it is there when the browser dies, and a power cut leaves the database as it is. */
const flushMs = 1000

/** How long its file may take to open: commits wait for it. */
const openMs = 2000

/** What must fit for a mirror to begin: more than a disk has left that is full to the last block. */
const roomBytes = 2 ** 14

/** After so many commits without an erasure nobody goes on erasing. */
const lastingCommits = 256

/** The mirror of one worker. */
export interface OpenMirror extends CommitMirror {
  /** Whether its file takes anything: tells it by writing what means nothing. */
  hasRoom(): Promise<boolean>
  /** A session was erased elsewhere. @param session - local number of the one that has its key now */
  forget(key: string, session: number | undefined): void
  /** Entries of a session were erased elsewhere. */
  forgetEntries(key: string, purged: SequenceRanges): void
}

export interface MirrorPlace {
  readonly folder: MirrorFolder
  /** Of the database. */
  readonly epoch: string
  /** Drawn for this start of a worker. */
  readonly boot: string
  /** Whether it keeps what is stored. Otherwise it only keeps nothing of what is erased. */
  readonly isWanted?: boolean
}

/**
 * Keeps the mirror of a worker's commits, in a file of its own. Opening goes on behind the caller's back: a commit that comes earlier waits
 * for it.
 *
 * @param onStop - hears why nothing more is mirrored, once; what was is kept
 */
export function openMirror({ folder, epoch, boot, isWanted = true }: MirrorPlace, onStop: (reason: string) => void): OpenMirror {
  const name = mirrorName({ epoch, boot })
  let writer: MirrorWriter | undefined
  let isStopped = false
  const finder = createSessionFinder(folder)
  /** Commits since the last erasure. */
  let written = 0
  let isEmpty = true
  let waiting: (() => void)[] = []
  let forgetting: Promise<void> = Promise.resolve()
  let flushing: ReturnType<typeof setTimeout> | undefined

  function stop(error: unknown): void {
    if (isStopped) return
    isStopped = true
    onStop(error instanceof Error ? error.message : String(error))
  }

  /** Does it now, or once the file is open. */
  function write(step: (writer: MirrorWriter) => void, isUndoing = false): void {
    if (isStopped && !isUndoing) return
    if (writer === undefined) return void (isStopped || waiting.push(() => write(step, isUndoing)))
    try {
      step(writer)
    } catch (error) {
      stop(error)
    }
  }

  /** Also where nothing more is mirrored: what was refused because there is no room must not wait for room to be undone. */
  const blank = (places: readonly FramePlace[]): undefined => void write((open) => open.blank(places), true)

  function flush(): void {
    flushing = undefined
    write((open) => open.flush())
  }

  /** Takes entries out of its own file, after whatever it was told to forget before. */
  function forgetEntries(key: string, purged: SequenceRanges): Promise<void> {
    forgetting = forgetting.then(async () => {
      const file = writer === undefined || isEmpty ? undefined : await folder.read(name)
      if (file !== undefined) writer?.rewrite(await findPurged(file, { key, purged }))
    }).catch(stop)
    return forgetting
  }

  const opening = new Promise<void>((resolve) => {
    const goOn = (): void => {
      clearTimeout(patience)
      for (const step of waiting) step()
      waiting = []
      resolve()
    }
    folder.open(name).then((file) => {
      if (file === undefined) throw new Error('its file does not open')
      if (isStopped) file.close()
      else writer = createMirrorWriter(file)
    }).catch(stop).then(goOn)
    const patience = setTimeout(() => {
      if (writer === undefined) stop(new Error('its file does not open'))
      goOn()
    }, openMs)
  })

  return {
    isOn: () => !isStopped,
    hasRoom: async () => {
      await opening
      write((open) => void open.add('blank', ' '.repeat(roomBytes)))
      flush()
      return !isStopped
    },
    begin: (texts) => {
      const list = isWanted ? [...texts] : []
      if (list.length === 0) return nothingToSay
      isEmpty = false
      if (++written === lastingCommits) finder.rest()
      const places: FramePlace[] = []
      write((open) => {
        for (const text of list) places.push(open.add('entries', text))
      })
      return {
        stored: () => {
          write((open) => open.confirm())
          flushing ??= setTimeout(flush, flushMs)
          return writer === undefined ? opening : undefined
        },
        undone: () => blank(places),
      }
    },
    erase: async (erased) => {
      await opening
      isEmpty = false
      const said: FramePlace[] = []
      const found: (readonly [file: string, frames: readonly SessionFrame[]])[] = []
      written = 0
      for (const { key, session } of erased) {
        const held = (await finder.find(key).catch(stop)) ?? []
        pushAll(found, held)
        const sessions = [...new Set([session, ...held.flatMap(([, frames]) => frames.map((frame) => frame.session))])]
        write((open) => said.push(open.add('erased', erasureText({ key, sessions }))))
      }
      flush()
      return {
        stored: async () => {
          for (const [file, places] of found) {
            if (file === name) blank(places)
            // Those of workers that live hear of it themselves.
            else await blankInFile(folder, file, places).catch(stop)
          }
        },
        undone: () => blank(said),
      }
    },
    forget: (key, session) => {
      const open = writer
      if (open === undefined || isEmpty) return
      forgetting = forgetting.then(async () => {
        open.blank((await finder.findIn(name, key)).filter((frame) => frame.session !== session))
      }).catch(stop)
    },
    forgetEntries: (key, purged) => void forgetEntries(key, purged),
    blank: async (key, purged) => {
      await opening
      await forgetEntries(key, purged)
      const others = async (): Promise<void> => {
        for (const file of await folder.list()) if (file !== name && parseMirrorName(file) !== undefined) await blankPurged(folder, file, { key, purged })
      }
      // The next start comes to what could not be written to now.
      await others().catch(() => undefined)
    },
    putBlob: async (hash, blob) => {
      if (isWanted) await folder.open(blobName(hash)).then(async (file) => {
        // Whoever has it open writes the same.
        if (file === undefined) return
        let isWhole = false
        try {
          isWhole = file.getSize() === blob.size || file.write(new Uint8Array(await blob.arrayBuffer()), { at: 0 }) === blob.size
        } finally {
          file.close()
          // A part of it is of no use, and would pass for the whole.
          if (!isWhole) await folder.remove(blobName(hash)).catch(() => false)
        }
        if (!isWhole) throw new RangeError('There is no room for the mirror.')
      }).catch(stop)
    },
    getBlob: (hash) => folder.read(blobName(hash)).catch(() => undefined),
    // One that can't be removed now goes when the mirror is next held against the database.
    dropBlobs: async (hashes) => {
      for (const hash of hashes) await folder.remove(blobName(hash)).catch(() => false)
    },
    close: async () => {
      await opening
      await forgetting
      clearTimeout(flushing)
      if (!isEmpty) {
        // Which says that the one before was stored.
        write((open) => void open.add('blank', ''))
        flush()
      }
      writer?.close()
      writer = undefined
      isStopped = true
      if (isEmpty) await folder.remove(name).catch(() => false)
    },
  }
}

const nothingToSay = { stored: () => undefined, undone: () => undefined }
