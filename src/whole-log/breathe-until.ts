import { SessionError } from '../contract/errors.ts'
import { type Breather, createBreather } from '../pacing/breather.ts'

/**
 * Lets other tasks run, and ends the work once the signal fires.
 *
 * @param what - is cancelled, as in "Comparing checkpoints"
 */
export function breatheUntil(signal: AbortSignal | undefined, what: string): Breather {
  const breathe = createBreather()
  return () => {
    if (signal?.aborted) throw new SessionError('Aborted', `${what} was cancelled.`)
    return breathe()
  }
}
