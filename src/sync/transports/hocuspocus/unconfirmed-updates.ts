import { sameBytes } from '../../same-bytes.ts'

/** How many updates may be on their way that the server has not confirmed. */
const mostUnconfirmed = 4

/** The updates of a document that are on their way to the server. */
export interface UnconfirmedUpdates {
  /** An update is sent. Resolves when the next one may follow. */
  add(update: Uint8Array): Promise<void>
  /** The server has confirmed the oldest. */
  confirmOldest(): void
  /**
   * Whether this update is one that was sent: Hocuspocus sends every update also to its sender, after it has confirmed
   * it.
   */
  takeEcho(update: Uint8Array): boolean
  isEmpty(): boolean
  /** Resolves when all are confirmed, or it is closed. */
  allConfirmed(): Promise<void>
  /** The length of the longest one, in bytes. */
  longest(): number
  /** Nobody waits any longer. */
  close(): void
}

/** @param send - called once the update counts as unconfirmed */
export function createUnconfirmedUpdates(send: (update: Uint8Array) => void): UnconfirmedUpdates {
  /** Oldest first. */
  const unconfirmed: Uint8Array[] = []
  const echoes: Uint8Array[] = []
  let waiting: (() => void)[] = []
  let isClosed = false

  const wake = (): void => {
    const woken = waiting
    waiting = []
    for (const resolve of woken) resolve()
  }
  const untilBelow = async (count: number): Promise<void> => {
    while (unconfirmed.length >= count && !isClosed) await new Promise<void>((resolve) => waiting.push(resolve))
  }

  return {
    add: (update) => {
      unconfirmed.push(update)
      echoes.push(update)
      echoes.splice(0, echoes.length - mostUnconfirmed)
      send(update)
      return untilBelow(mostUnconfirmed)
    },
    confirmOldest: () => {
      unconfirmed.shift()
      wake()
    },
    takeEcho: (update) => {
      const at = echoes.findIndex((echo) => sameBytes(echo, update))
      if (at >= 0) echoes.splice(at, 1)
      return at >= 0
    },
    isEmpty: () => unconfirmed.length === 0,
    allConfirmed: () => untilBelow(1),
    longest: () => unconfirmed.reduce((most, { length }) => Math.max(most, length), 0),
    close: () => {
      isClosed = true
      wake()
    },
  }
}
