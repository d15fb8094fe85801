import { locksHere } from '../../client/worker/page-lock.ts'
import { SessionError } from '../../contract/errors.ts'
import { Problem } from './chat-problem.ts'

export interface RunQueue {
  /**
   * Waits until the runs of this session that came before have ended. Returns what ends this one.
   *
   * @throws Problem 429 when too many wait here already; Aborted when the signal fires meanwhile
   */
  enter(key: string, signal: AbortSignal): Promise<() => void>
}

/**
 * Lets the runs of one session follow each other; those of different sessions go side by side.
 *
 * @param name - of the database: with it, and where there are Web Locks, runs of other tabs are waited for as well
 * Source: ai-panel, `SessionWorker`
 */
export function createRunQueue(mostWaiting: number, name: string | undefined): RunQueue {
  /** Those that wait, of each session that has a run. */
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
          `${waiting.length} messages wait in session "${key}" already. Send this one when they are answered.`,
        )
      else await waitIn(waiting, signal)
      let release: () => void
      try {
        release = name === undefined ? () => undefined : await holdLock(`keepsession:${name}:chat:${key}`, signal)
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

/** Takes a Web Lock. Returns what gives it back; at once where there are none. */
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
      // Some pages have locks that they may not use.
      .catch(() => (signal.aborted ? reject(gone()) : resolve()))
  })
  return release
}

const gone = (): SessionError =>
  new SessionError('Aborted', 'The client went away before it was the turn of its message.')
