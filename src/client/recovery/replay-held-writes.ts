import type { NoticeChange } from '../../contract/change.ts'
import { isSessionError, type SessionError } from '../../contract/errors.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import type { StoreCall } from '../../contract/worker-protocol.ts'
import { inTime } from '../worker/in-time.ts'
import { createHeldTurns, type HeldTurns } from './held-turns.ts'
import { firstPauseMs, longestPauseMs } from './recovery-state.ts'

/** How often storing a held write is tried before it is given up. */
const replayTries = 3

/** Stores writes that were held in memory. */
export interface HeldReplay extends Pick<HeldTurns, 'turn'> {
  /** Stores those of each session in their order, and says how that went. */
  replay(calls: readonly StoreCall[]): void
  /** How many are not stored yet. */
  pending(): number
  /** No write waits for room any more. */
  close(): void
}

/**
 * @param name - of the database
 * @param isBack - whether nothing is held any more, so that all is well again
 */
export function createHeldReplay(
  store: SessionStore,
  name: string,
  notify: (notice: NoticeChange['name'], message: string) => void,
  isBack: () => boolean,
): HeldReplay {
  let pending = 0
  let isClosed = false
  let endPauses: () => void = () => undefined
  const closing = new Promise<void>((resolve) => (endPauses = resolve))

  /**
   * The write was acknowledged as held. If there is no room, it waits for some as long as the store is open.
   * @returns why it could not be stored
   */
  async function storeCall(
    { method, args }: StoreCall,
    refuse: (why: SessionError) => Promise<void>,
  ): Promise<string | undefined> {
    let roomPauseMs = firstPauseMs
    for (let tries = 1; ; tries++) {
      try {
        await (store[method] as (...given: readonly unknown[]) => Promise<unknown>)(...args) // bounded: a method's parameters
        return undefined
      } catch (error) {
        if (isSessionError(error, 'QuotaExceeded') && !isClosed) {
          tries = 0
          await inTime(Promise.race([closing, refuse(error)]), roomPauseMs).catch(() => undefined)
          roomPauseMs = Math.min(roomPauseMs * 2, longestPauseMs)
          continue
        }
        const mayPass = isSessionError(error, 'WorkerLost') || isSessionError(error, 'StorageUnavailable')
        if (!mayPass || tries >= replayTries) return `${method} ${JSON.stringify(args[0])}: ${(error as Error).message}`
      }
    }
  }

  const { storeInTurn, turn } = createHeldTurns(storeCall)

  return {
    pending: () => pending,
    turn,
    replay: (calls) => {
      pending += calls.length
      void Promise.all(calls.map(storeInTurn)).then((failures) => {
        pending -= calls.length
        const lost = failures.filter((failure) => failure !== undefined)
        if (lost.length > 0) notify('dataLost', lostText(name, failures.length, lost))
        else if (isBack()) notify('recovered', recoveredText(name, failures.length))
      })
    },
    close: () => {
      isClosed = true
      endPauses()
    },
  }
}

const lostText = (name: string, count: number, lost: readonly string[]): string =>
  `${lost.length} of ${count} writes that were held in memory could not be stored in the database "${name}". ${lost[0]}`

const recoveredText = (name: string, count: number): string =>
  `The database "${name}" can be reached again. Writes that were held in memory are stored: ${count}.`
