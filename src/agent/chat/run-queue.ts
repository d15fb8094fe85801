import { SessionError } from '../../contract/errors.ts'
import { Problem } from './problem.ts'

export interface RunQueue {
  /**
   * Waits until the runs of this session that came before have ended. Returns what ends this one.
   *
   * @throws Problem 429 when too many wait already; Aborted when the signal fires meanwhile
   */
  enter(key: string, signal: AbortSignal): Promise<() => void>
}

/** Lets the runs of one session follow each other; those of different sessions go side by side. Source: ai-panel, `SessionWorker` */
export function createRunQueue(mostWaiting: number): RunQueue {
  /** Those that wait, of each session that has a run. */
  const sessions = new Map<string, (() => void)[]>()

  const leave = (key: string): void => {
    const next = sessions.get(key)?.shift()
    if (next === undefined) sessions.delete(key)
    else next()
  }

  return {
    enter: async (key, signal) => {
      const waiting = sessions.get(key)
      if (waiting === undefined) sessions.set(key, [])
      else if (waiting.length >= mostWaiting) throw new Problem(429, 'TooManyRequests', `${waiting.length} messages wait in session "${key}" already. Send this one when they are answered.`)
      else await waitIn(waiting, signal)
      let isOver = false
      return () => {
        if (!isOver) leave(key)
        isOver = true
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
      reject(new SessionError('Aborted', 'The client went away before its message was its turn.'))
    }
    waiting.push(go)
    if (signal.aborted) giveUp()
    else signal.addEventListener('abort', giveUp, { once: true })
  })
}
