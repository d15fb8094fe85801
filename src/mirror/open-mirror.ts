import { blankInOthers, blankInOwn } from './blank-session.ts'
import type { CommitMirror } from './mirror-commits.ts'
import type { MirrorFolder } from './mirror-folder.ts'
import { blobName, mirrorName } from './mirror-names.ts'
import { createMirrorWriter, type FramePlace, type MirrorWriter } from './mirror-writer.ts'

/** How long what was written may wait for the disk: it is there when the browser dies, and a power cut leaves the database as it is. */
const flushMs = 1000

/** The mirror of one worker. */
export interface OpenMirror extends CommitMirror {
  /** A session was erased elsewhere. */
  forget(key: string): void
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
      for (const { key, text } of erased) {
        write((open) => void open.add('erased', text))
        if (writer !== undefined) await blankInOwn(folder, name, writer, key).catch(stop)
        await blankInOthers(folder, name, key).catch(stop)
      }
      write((open) => open.confirm())
    },
    forget: (key) => {
      const open = writer
      if (open !== undefined && !isEmpty) forgetting = forgetting.then(() => blankInOwn(folder, name, open, key)).catch(stop)
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
