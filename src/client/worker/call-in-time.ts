import { SessionError } from '../../contract/errors.ts'
import { checkedTimeout } from './checked-timeout.ts'
import { startTimer } from './start-timer.ts'

export interface TimedCallOptions {
  /** Names the work, as the subject of a sentence. */
  readonly what: string
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Calls a function of the caller, sync or async, and waits no longer than allowed, even if the function ignores its
 * signal. Its own errors are thrown unchanged.
 *
 * @throws Aborted when the time is over or the signal fires; InvalidInput for a bad limit
 */
export async function callInTime<Result>(
  make: (signal: AbortSignal) => Result | Promise<Result>,
  { what, timeoutMs, signal }: TimedCallOptions,
): Promise<Result> {
  checkedTimeout(timeoutMs)
  const ending = new AbortController()
  let stopTimer: () => void = () => undefined
  let abort: () => void = () => undefined
  const ended = new Promise<never>((_, reject) => {
    const end = (message: string, reason: unknown): void => {
      const error = new SessionError('Aborted', message, { cause: reason })
      // Rejects before the function is aborted, because the function's own error would say less.
      reject(error)
      ending.abort(reason ?? error)
    }
    abort = () => end(`${what} was cancelled by its signal. Nothing was changed.`, signal?.reason)
    stopTimer = startTimer(
      () =>
        end(
          `${what} took longer than ${timeoutMs} ms (timeoutMs) and was given up. Nothing was changed; try again, or allow more time.`,
          undefined,
        ),
      timeoutMs,
    )
  })
  ended.catch(() => undefined)
  if (signal?.aborted === true) abort()
  signal?.addEventListener('abort', abort)
  try {
    return await Promise.race([ended, ending.signal.aborted ? ended : (async () => make(ending.signal))()])
  } finally {
    stopTimer()
    signal?.removeEventListener('abort', abort)
  }
}
