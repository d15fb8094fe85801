import type { SessionError } from '../../contract/errors.ts'
import type { StoreCall } from '../../contract/worker-protocol.ts'

/** Keeps the order of held writes, and of new ones after them. */
export interface HeldTurns {
  /** Stores a held write after those of its session that were held before. */
  storeInTurn(call: StoreCall): Promise<string | undefined>
  /**
   * If held writes of a session are not stored yet, returns what a new write to it has to wait for, lest it overtakes
   * them. Whoever waits has them tried again at once.
   *
   * @param target - the first argument of the write
   * @returns a function that rejects with QuotaExceeded if there is still no room for them
   */
  turn(target: unknown): (() => Promise<void>) | undefined
}

/** The held writes of a session, or of what else the first argument names. */
interface HeldSession {
  newest: Promise<unknown>
  /** New writes that wait for them, each to be told why they could not be stored, if so. */
  readonly waiting: ((refusal?: SessionError) => void)[]
  endPause: () => void
}

/**
 * @param store - stores a write, and returns why it could not. `refuse`: tells those that wait for it that there is no
 *   room; what it returns resolves when another one begins to wait
 */
export function createHeldTurns(
  store: (call: StoreCall, refuse: (why: SessionError) => Promise<void>) => Promise<string | undefined>,
): HeldTurns {
  const sessions = new Map<unknown, HeldSession>()
  return {
    storeInTurn: (call) => {
      const [target] = call.args
      const session = sessions.get(target) ?? { newest: Promise.resolve(), waiting: [], endPause: () => undefined }
      sessions.set(target, session)
      const refuse = (why: SessionError): Promise<void> => {
        for (const go of session.waiting.splice(0)) go(why)
        return new Promise((resolve) => (session.endPause = resolve))
      }
      const done = session.newest.then(() => store(call, refuse))
      session.newest = done
      void done.then(() => {
        if (session.newest !== done) return
        sessions.delete(target)
        for (const go of session.waiting) go()
      })
      return done
    },
    turn: (target) => {
      const session = sessions.get(target)
      if (session === undefined) return undefined
      return () =>
        new Promise((resolve, reject) => {
          session.endPause()
          session.waiting.push((why) => (why === undefined ? resolve() : reject(why)))
        })
    },
  }
}
