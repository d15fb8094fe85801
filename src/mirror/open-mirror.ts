import { findSession, type FoundSession } from './find-session.ts'
import type { CommitMirror } from './mirror-commits.ts'
import type { MirrorFolder } from './mirror-folder.ts'
import { blobName, mirrorName, parseMirrorName } from './mirror-names.ts'
import { blankInFile, createMirrorWriter, type FramePlace, type MirrorWriter } from './mirror-writer.ts'
import { erasureText } from './mirrored-text.ts'

/** How long what was written may wait for the disk: it is there when the browser dies, and a power cut leaves the database as it is. */
const flushMs = 1000

/** The mirror of one worker. */
export interface OpenMirror extends CommitMirror {
  /** A session was erased elsewhere. @param session - local number of the one that has its key now */
  forget(key: string, session: number | undefined): void
}

export interface MirrorPlace {
  readonly folder: MirrorFolder
  /** Of the database. */
  readonly epoch: string
  /** Drawn for this start of a worker. */
  readonly boot: string
}

/**
 * Keeps the mirror of a worker's commits, in a file of its own. Opening goes on behind the caller's back: a commit that comes earlier waits
 * for it.
 *
 * @param onStop - hears why nothing more is mirrored, once; what was is kept
 */
export function openMirror({ folder, epoch, boot }: MirrorPlace, onStop: (reason: string) => void): OpenMirror {
  const name = mirrorName({ epoch, boot })
  let writer: MirrorWriter | undefined
  let isStopped = false
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
  function write(step: (writer: MirrorWriter) => void): void {
    if (isStopped) return
    if (writer === undefined) return void waiting.push(() => write(step))
    try {
      step(writer)
    } catch (error) {
      stop(error)
    }
  }

  /** Also where nothing more is mirrored: what was refused because there is no room must not wait for room to be undone. */
  function undo(step: () => void): void {
    if (writer === undefined && !isStopped) return void waiting.push(step)
    try {
      step()
    } catch (error) {
      stop(error)
    }
  }

  function flush(): void {
    flushing = undefined
    write((open) => open.flush())
  }

  async function findInAll(key: string): Promise<(readonly [file: string, session: FoundSession])[]> {
    const found: (readonly [string, FoundSession])[] = []
    for (const file of await folder.list()) {
      const blob = parseMirrorName(file) === undefined ? undefined : await folder.read(file)
      if (blob !== undefined) found.push([file, await findSession(blob, key)])
    }
    return found
  }

  function nothingIn(error: unknown): [] {
    stop(error)
    return []
  }

  const opening = folder.open(name).then((file) => {
    if (file === undefined) throw new Error('its file is taken')
    writer = createMirrorWriter(file)
  }).catch(stop).then(() => {
    for (const step of waiting) step()
    waiting = []
  })

  return {
    isOn: () => !isStopped,
    begin: (texts) => {
      let list: readonly string[] = []
      try {
        list = [...texts]
      } catch (error) {
        stop(error)
      }
      if (list.length === 0) return nothingToSay
      isEmpty = false
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
        undone: () => undo(() => writer?.blank(places)),
      }
    },
    erase: async (erased) => {
      await opening
      isEmpty = false
      const said: FramePlace[] = []
      const found: (readonly [file: string, session: FoundSession])[] = []
      for (const { key, session } of erased) {
        const held = await findInAll(key).catch(nothingIn)
        found.push(...held)
        const sessions = [...new Set([session, ...held.flatMap(([, one]) => [...one.sessions])])]
        write((open) => said.push(open.add('erased', erasureText({ key, sessions }))))
      }
      write((open) => open.flush())
      return {
        stored: async () => {
          write((open) => open.confirm())
          for (const [file, { places }] of found) {
            if (file === name) undo(() => writer?.blank(places))
            // Those of workers that live hear of it themselves.
            else await blankInFile(folder, file, places).catch(stop)
          }
        },
        undone: () => undo(() => writer?.blank(said)),
      }
    },
    forget: (key, session) => {
      const open = writer
      if (open === undefined || isEmpty) return
      forgetting = forgetting.then(async () => {
        const file = await folder.read(name)
        if (file !== undefined) open.blank((await findSession(file, key, (one) => one !== session)).places)
      }).catch(stop)
    },
    putBlob: async (hash, blob) => {
      await folder.open(blobName(hash)).then(async (file) => {
        // Whoever has it open writes the same.
        if (file === undefined) return
        if (file.getSize() !== blob.size) file.write(new Uint8Array(await blob.arrayBuffer()), { at: 0 })
        file.close()
      }).catch(stop)
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
