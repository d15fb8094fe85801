import type { MirrorFolder } from './mirror-folder.ts'
import { createMirrorWriter, type FramePlace, type MirrorWriter } from './mirror-writer.ts'

/**
 * How long written bytes may wait for a flush. They survive a crash of the browser without one, and after a power cut
 * the database still has them.
 */
const flushMs = 1000

/** How long the file may take to open. Commits wait that long. */
export const openMs = 2000

/** Room for announcements of erasures on a full disk: a purge may be what makes room. Each takes about 100 bytes. */
const reserveBytes = 2 ** 12

/** The file of one worker. It opens in the background, and earlier steps wait for it. */
export interface WorkerFile {
  /** Resolves when the file is open, or never will be. */
  readonly opening: Promise<void>
  /** Whether everything was written so far. */
  isOn(): boolean
  /** The writer; `undefined` while the file is not open. */
  writer(): MirrorWriter | undefined
  /** Writes now, or once the file is open. */
  write(step: (writer: MirrorWriter) => void): void
  /**
   * Announces an erasure on the disk, even in a mirror that has stopped. @returns its place; `undefined` when the file
   * can't take it
   */
  announce(text: string): FramePlace | undefined
  /**
   * Overwrites frames, even in a mirror that has stopped: the commit for which there was no room must be undone
   * nevertheless.
   */
  blank(places: readonly FramePlace[]): undefined
  flush(): void
  /** Flushes within a second. */
  flushSoon(): void
  /** Ends the mirror after an error. */
  stop(error: unknown): void
  /** @param last - written before the file is closed */
  close(last: () => void): void
}

/**
 * @param onStop - called once, with the reason, when nothing more is written
 * @param onFlushed - called when everything so far is on the disk, some time after it was written
 */
export function openWorkerFile(
  folder: MirrorFolder,
  name: string,
  onStop: (reason: string) => void,
  onFlushed: () => void,
): WorkerFile {
  let writer: MirrorWriter | undefined
  let isStopped = false
  let waiting: (() => void)[] = []
  let flushing: ReturnType<typeof setTimeout> | undefined

  function stop(error: unknown): void {
    if (isStopped) return
    isStopped = true
    onStop(error instanceof Error ? error.message : String(error))
  }

  function write(step: (writer: MirrorWriter) => void, isUndoing = false): void {
    if (isStopped && !isUndoing) return
    if (writer === undefined) return void (isStopped || waiting.push(() => write(step, isUndoing)))
    try {
      step(writer)
    } catch (error) {
      stop(error)
    }
  }

  function flush(): void {
    flushing = undefined
    write((open) => open.flush())
  }

  const opening = new Promise<void>((resolve) => {
    const runWaiting = (): void => {
      clearTimeout(timeout)
      for (const step of waiting) step()
      waiting = []
      resolve()
    }
    folder
      .open(name)
      .then((file) => {
        if (file === undefined) throw new Error('its file does not open')
        if (isStopped) file.close()
        else writer = withReserve(createMirrorWriter(file))
      })
      .catch(stop)
      .then(runWaiting)
    const timeout = setTimeout(() => {
      if (writer === undefined) stop(new Error('its file does not open'))
      runWaiting()
    }, openMs)
  })

  return {
    opening,
    isOn: () => !isStopped,
    writer: () => writer,
    write,
    announce: (text) => {
      try {
        const place = writer?.announce(text)
        writer?.flush()
        return place
      } catch (error) {
        stop(error)
        return undefined
      }
    },
    blank: (places) => void write((open) => open.blank(places), true),
    flush,
    flushSoon: () => {
      flushing ??= setTimeout(() => {
        flush()
        onFlushed()
      }, flushMs)
    },
    stop,
    close: (last) => {
      clearTimeout(flushing)
      last()
      writer?.close()
      writer = undefined
      isStopped = true
    },
  }
}

function withReserve(writer: MirrorWriter): MirrorWriter {
  try {
    writer.reserve(reserveBytes)
  } catch {
    // The first frame for which there is no room says so.
  }
  return writer
}
