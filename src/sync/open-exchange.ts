import { SessionError } from '../contract/errors.ts'

/**
 * Opens something, waits for its result, and closes it in any case.
 *
 * @throws Aborted; what `reject` was called with
 */
export async function openExchange<T>(
  signal: AbortSignal,
  open: (resolve: (value: T) => void, reject: (error: Error) => void) => Promise<{ close(): Promise<void> }>,
): Promise<T> {
  let stop: () => void = () => undefined
  let opening: Promise<{ close(): Promise<void> }> | undefined
  try {
    return await new Promise<T>((resolve, reject) => {
      stop = () => reject(new SessionError('Aborted', 'It was aborted by its signal.'))
      signal.addEventListener('abort', stop)
      if (signal.aborted) return stop()
      opening = open(resolve, reject)
      opening.catch(reject)
    })
  } finally {
    signal.removeEventListener('abort', stop)
    await opening?.then((one) => one.close()).catch(() => undefined)
  }
}
