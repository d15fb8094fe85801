import { SessionError } from '../../contract/errors.ts'
import type { WorkOptions } from '../../contract/interruptible-work.ts'
import { createBreather } from '../../pacing/breather.ts'

/** What work that goes over a session calls as it goes. */
export interface Pace {
  /** Some entries were looked at. Tells so, lets others work when it is time, and ends the work where that was asked for. @throws Aborted */
  step(entries: number, bytes: number): Promise<void> | undefined
}

/**
 * @param totalBytes - of the entries that will be looked at
 * @param name - of the work, for whoever ended it
 */
export function createPace(name: string, totalBytes: number, { signal, onProgress }: WorkOptions): Pace {
  const breathe = createBreather()
  let [seen, read] = [0, 0]
  const stop = (): void => {
    if (signal?.aborted) throw new SessionError('Aborted', `The ${name} was cancelled after ${seen} entries. What was done by then stays so.`)
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

/** The pace of work that nobody follows. */
export const unpaced: Pace = { step: () => undefined }
