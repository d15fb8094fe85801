import { SessionError } from '../../contract/errors.ts'

/** How long a call may take. */
export interface CallLimits {
  readonly signal?: AbortSignal | undefined
  /** Milliseconds. */
  readonly timeoutMs: number
}

/**
 * Calls a function of the app, sync or async, and stops waiting when its time is up or the caller gives up. The function is told by its
 * signal.
 *
 * @param what - how it is called in the error, at the start of a sentence
 * @throws Aborted, or what the function throws
 */
export async function callHandler<Result>(what: string, { signal, timeoutMs }: CallLimits, call: (signal: AbortSignal) => Result | Promise<Result>): Promise<Result> {
  const ending = new AbortController()
  const ended = new Promise<never>((_, reject) => ending.signal.addEventListener('abort', () => reject(ending.signal.reason as Error)))
  ended.catch(() => undefined)
  const end = (reason: string, cause?: unknown): void => ending.abort(new SessionError('Aborted', `${what} ${reason} Nothing was changed.`, { cause }))
  const abort = (): void => end('was ended by its signal.', signal?.reason)
  const timer = setTimeout(() => end(`took longer than ${timeoutMs} ms. Give it more time (timeoutMs), or less to do.`), timeoutMs)
  if (signal?.aborted === true) abort()
  signal?.addEventListener('abort', abort)
  try {
    return await Promise.race([ended, Promise.resolve(ending.signal.aborted ? ended : call(ending.signal))])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}
