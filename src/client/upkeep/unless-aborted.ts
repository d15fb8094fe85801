import { SessionError } from '../../contract/errors.ts'

/**
 * Waits for a promise, unless a signal fires first.
 *
 * @param what - names what the signal cancels, as the subject of a sentence
 * @throws Aborted as soon as the signal fires
 */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined, what: string): Promise<T> {
  if (signal === undefined) return promise
  return new Promise((resolve, reject) => {
    const abort = (): void =>
      reject(new SessionError('Aborted', `${what} was cancelled by its signal.`, { cause: signal.reason }))
    if (signal.aborted) {
      promise.catch(() => undefined)
      return abort()
    }
    signal.addEventListener('abort', abort)
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
