import { type Breather, createBreather } from '../pacing/breather.ts'
import { abortError } from './byte-source.ts'

/**
 * Lets other tasks run within an export, one of which may be its cancellation.
 *
 * @returns a breather whose pauses reject with Aborted once the signal has fired
 */
export function createExportBreather(signal: AbortSignal | undefined): Breather {
  const breathe = createBreather()
  return () =>
    breathe()?.then(() => {
      if (signal?.aborted) throw abortError('export')
    })
}
