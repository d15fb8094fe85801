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
  let connection: SyncConnection | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let steady: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  let end: ((status: LinkStatus) => void) | undefined
  let isClosed = false
  let closing: Promise<unknown> = Promise.resolve()

  const open = (): void => {
    timer = undefined
    if (isClosed) return
    let isOver = false
    const lasting = retryWait(failures, retry)
    const onStatus = (status: LinkStatus): void => {
      if (isOver || isClosed) return
      // A server that accepts the connection and then refuses what it is sent must not be asked every second.
      if (status.state === 'connected' || status.state === 'readonly')
        steady ??= setTimeout(() => (failures = 0), lasting)
      link.status(status)
      if (status.state === 'connecting' || status.state === 'connected' || status.state === 'readonly') return
      isOver = true
      const over = connection
      connection = undefined
      // The connection may end before `open` has returned it.
      closing = Promise.resolve()
        .then(() => (over ?? opened)?.close())
        .catch(ignore)
      clearTimeout(steady)
      steady = undefined
      timer = setTimeout(open, retryWait(failures, retry))
      failures += 1
    }
    end = onStatus
    let opened: SyncConnection | undefined
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
    retry: () => {
      if (timer === undefined) return
      clearTimeout(timer)
      failures = 0
      open()
    },
    drop: () => end?.({ state: 'offline' }),
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      clearTimeout(steady)
      await Promise.all([
        closing,
        Promise.resolve(connection)
          .then((open) => open?.close())
          .catch(ignore),
      ])
    },
  }
}

/** A connection that cannot be closed counts as closed nevertheless. Its status has reported what went wrong. */
const ignore = (): void => undefined
