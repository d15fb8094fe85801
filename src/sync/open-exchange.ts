import { SessionError } from '../contract/errors.ts'
import { keepAsking } from './keep-asking.ts'

/** What was opened: if it can be asked, it is asked again from time to time. */
interface Opened {
  readonly ask?: () => void
  close(): Promise<void>
}

/**
 * Opens something, waits for its result, and closes it in any case.
 *
 * @throws Aborted; what `reject` was called with
 */
export async function openExchange<T>(
  signal: AbortSignal,
  open: (resolve: (value: T) => void, reject: (error: Error) => void) => Promise<Opened>,
): Promise<T> {
  let stop: () => void = () => undefined
  let stopAsking: (() => void) | undefined
  let opening: Promise<Opened> | undefined
  try {
    return await new Promise<T>((resolve, reject) => {
      stop = () => reject(new SessionError('Aborted', 'It was aborted by its signal.'))
      signal.addEventListener('abort', stop)
      if (signal.aborted) return stop()
      opening = open(resolve, reject)
      opening.then(({ ask }) => (stopAsking = ask && keepAsking(ask)), reject)
    })
  } finally {
    signal.removeEventListener('abort', stop)
    await opening
      ?.then((one) => {
        stopAsking?.()
        return one.close()
      })
      .catch(() => undefined)
  }
}
