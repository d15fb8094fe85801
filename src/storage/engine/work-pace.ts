import { SessionError } from '../../contract/errors.ts'
import type { WorkOptions } from '../../contract/interruptible-work.ts'
import { createBreather } from '../../pacing/breather.ts'

/** Called by work over a session as it proceeds. */
export interface Pace {
  /**
   * Some entries were processed. Reports that, lets other tasks run when it is time, and ends cancelled work. @throws
   * Aborted
   */
  step(entries: number, bytes: number): Promise<void> | undefined
}

/**
 * @param totalBytes - bytes of all entries that will be processed
 * @param name - names the work in the error for its caller
 */
export function createPace(name: string, totalBytes: number, { signal, onProgress }: WorkOptions): Pace {
  const breathe = createBreather()
  let [seen, read] = [0, 0]
  const stop = (): void => {
    if (signal?.aborted)
      throw new SessionError(
        'Aborted',
        `The ${name} was cancelled after ${seen} entries. The changes made by then remain.`,
      )
  }
  return {
    step: (entries, bytes) => {
      seen += entries
      read += bytes
      stop()
      if (entries > 0) onProgress?.({ bytes: read, totalBytes: Math.max(totalBytes, read), entries: seen })
      return breathe()?.then(stop)
    },
  }
}

/** The pace of work without progress or cancellation. */
export const unpaced: Pace = { step: () => undefined }
