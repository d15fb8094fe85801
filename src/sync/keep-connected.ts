import type { LinkStatus, SyncConnection, SyncLink, SyncTransport } from './link.ts'
import { type RetryOptions, retryWait } from './retry-wait.ts'

export interface KeptConnection {
  ask(): void
  /** Tries at once instead of waiting. */
  retry(): void
  /** Treats the connection as lost before that is reported. It is opened again like any other. */
  drop(): void
  close(): Promise<void>
}

/**
 * Keeps one document connected: opens a new connection after each failure, with growing waits. A provider that was kept
 * while offline would queue every update.
 */
export function keepConnected(transport: SyncTransport, link: SyncLink, retry: RetryOptions): KeptConnection {
  const pace = createReopenPace(retry)
  let connection: SyncConnection | undefined
  let end: ((status: LinkStatus) => void) | undefined
  let isClosed = false
  let closing: Promise<unknown> = Promise.resolve()

  const open = (): void => {
    if (isClosed) return
    let opened: SyncConnection | undefined
    let isOver = false
    const onUp = pace.begin()
    const onStatus = (status: LinkStatus): void => {
      if (isOver || isClosed) return
      if (isUp(status)) onUp()
      link.status(status)
      if (status.state === 'connecting' || isUp(status)) return
      isOver = true
      connection = undefined
      // The connection may end before `open` has returned it.
      closing = Promise.resolve()
        .then(() => opened?.close())
        .catch(ignore)
      pace.wait(open)
    }
    end = onStatus
    link.status({ state: 'connecting' })
    try {
      opened = transport.open({ ...link, status: onStatus })
    } catch (error) {
      return onStatus({ state: 'error', message: (error as Error).message })
    }
    if (!isOver) connection = opened
  }

  open()
  return {
    ask: () => connection?.ask(),
    retry: pace.hurry,
    drop: () => end?.({ state: 'offline' }),
    close: async () => {
      isClosed = true
      pace.stop()
      await Promise.all([
        closing,
        Promise.resolve(connection)
          .then((open) => open?.close())
          .catch(ignore),
      ])
    },
  }
}

/** When to open a connection again: after waits that grow from failure to failure. */
interface ReopenPace {
  /** An attempt begins. Returns what to call when it has reached the other side. */
  begin(): () => void
  /** It has failed: the next one begins after the wait. */
  wait(next: () => void): void
  /** Begins the next one at once, if it is waited for. */
  hurry(): void
  stop(): void
}

function createReopenPace(retry: RetryOptions): ReopenPace {
  let failures = 0
  let steady: ReturnType<typeof setTimeout> | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let waiting: (() => void) | undefined
  const proceed = (): void => {
    clearTimeout(timer)
    const next = waiting
    waiting = undefined
    next?.()
  }
  return {
    begin: () => {
      const lasting = retryWait(failures, retry)
      // A server that accepts the connection and then refuses what it is sent must not be asked every second.
      return () => {
        steady ??= setTimeout(() => (failures = 0), lasting)
      }
    },
    wait: (next) => {
      clearTimeout(steady)
      steady = undefined
      waiting = next
      timer = setTimeout(proceed, retryWait(failures, retry))
      failures += 1
    },
    hurry: () => {
      if (waiting === undefined) return
      failures = 0
      proceed()
    },
    stop: () => {
      clearTimeout(timer)
      clearTimeout(steady)
    },
  }
}

const isUp = ({ state }: LinkStatus): boolean => state === 'connected' || state === 'readonly'

/** A connection that cannot be closed counts as closed nevertheless. Its status has reported what went wrong. */
const ignore = (): void => undefined
