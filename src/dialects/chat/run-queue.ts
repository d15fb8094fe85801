import { locksHere } from '../../client/worker/page-lock.ts'
import { SessionError } from '../../contract/errors.ts'
import { namesOf } from '../../domain/names-of.ts'
import { Problem } from './chat-problem.ts'

export interface RunQueue {
  /**
   * Waits until earlier runs of this session have ended. Returns a function that ends this run.
   *
   * @throws Problem 429 when too many runs are waiting already; Aborted when the signal fires while it waits
   */
  enter(key: string, signal: AbortSignal): Promise<() => void>
}

/**
 * Makes the runs of one session follow each other; runs of different sessions are concurrent.
 *
 * @param name - of the database: with it, and if there are Web Locks, runs also wait for those of other tabs
 * Source: ai-panel, `SessionWorker`
 */
export function createRunQueue(mostWaiting: number, name: string | undefined): RunQueue {
  /** The waiting runs of each session that has a current run. */
  const sessions = new Map<string, (() => void)[]>()

  const leave = (key: string): void => {
    const next = sessions.get(key)?.shift()
    if (next === undefined) sessions.delete(key)
    else next()
  }

  return {
    enter: async (key, signal) => {
      if (signal.aborted) throw gone()
      const waiting = sessions.get(key)
      if (waiting === undefined) sessions.set(key, [])
      else if (waiting.length >= mostWaiting)
        throw new Problem(
          429,
          'TooManyRequests',
          `${waiting.length} messages are already waiting in session "${key}". Send this one again when they are answered.`,
        )
      else await waitIn(waiting, signal)
      let release: () => void
      try {
        release = name === undefined ? () => undefined : await holdLock(`${namesOf(name)}:chat:${key}`, signal)
      } catch (error) {
        leave(key)
        throw error
      }
      let isOver = false
      return () => {
        if (isOver) return
        isOver = true
        release()
        leave(key)
      }
    },
  }
}

function waitIn(waiting: (() => void)[], signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const go = (): void => {
      signal.removeEventListener('abort', giveUp)
      resolve()
    }
    const giveUp = (): void => {
      waiting.splice(waiting.indexOf(go), 1)
      reject(gone())
    }
    waiting.push(go)
    signal.addEventListener('abort', giveUp, { once: true })
  })
}

/** Acquires a Web Lock and returns a function to release it. Without Web Locks it returns immediately. */
async function holdLock(name: string, signal: AbortSignal): Promise<() => void> {
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => (release = resolve))
  await new Promise<void>((resolve, reject) => {
    const locks = locksHere()
    if (locks === undefined) return resolve()
    locks
      .request(name, { signal }, () => {
        resolve()
        return held
      })
      // Some pages have Web Locks but may not use them.
      .catch(() => (signal.aborted ? reject(gone()) : resolve()))
  })
  return release
}

const gone = (): SessionError => new SessionError('Aborted', 'The client disconnected while its message was waiting.')
