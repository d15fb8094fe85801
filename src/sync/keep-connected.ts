import type { LinkStatus, SyncConnection, SyncLink, SyncTransport } from './link.ts'

export interface RetryOptions {
  /** Wait before the first retry, in milliseconds; doubled each time, up to `longest`. */
  readonly first: number
  readonly longest: number
  /** 0 to 1, for the jitter: devices that lost one server must not come back in one instant. */
  readonly random: () => number
}

export interface KeptConnection {
  ask(): void
  /** Tries at once, where it waits to. */
  retry(): void
  /** Takes it for lost, though nobody has said so yet. It comes back like any other. */
  drop(): void
  close(): Promise<void>
}

/** Holds one document's connection: a fresh one after each failure, later each time. A provider kept while offline would queue every update. */
export function keepConnected(transport: SyncTransport, link: SyncLink, { first, longest, random }: RetryOptions): KeptConnection {
  let connection: SyncConnection | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  let end: ((status: LinkStatus) => void) | undefined
  let isClosed = false
  let closing: Promise<unknown> = Promise.resolve()

  const open = (): void => {
    timer = undefined
    if (isClosed) return
    let isOver = false
    const onStatus = (status: LinkStatus): void => {
      if (isOver || isClosed) return
      if (status.state === 'connected' || status.state === 'readonly') failures = 0
      link.status(status)
      if (status.state === 'connecting' || status.state === 'connected' || status.state === 'readonly') return
      isOver = true
      const over = connection
      connection = undefined
      // It may end before `open` has returned it.
      closing = Promise.resolve().then(() => (over ?? opened)?.close())
      const wait = Math.min(longest, first * 2 ** failures)
      failures += 1
      timer = setTimeout(open, wait / 2 + (wait / 2) * random())
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
      await Promise.allSettled([closing, connection?.close()])
    },
  }
}
