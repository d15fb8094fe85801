import type { LinkStatus, SyncConnection, SyncLink, SyncTransport } from './link.ts'
import { type RetryOptions, retryWait } from './retry-wait.ts'

export interface KeptConnection {
  ask(): void
  /** Tries at once, where it waits to. */
  retry(): void
  /** Takes it for lost, though nobody has said so yet. It comes back like any other. */
  drop(): void
  close(): Promise<void>
}

/** Holds one document's connection: a fresh one after each failure, later each time. A provider kept while offline would queue every update. */
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
      // A server that lets in and then refuses what it is sent must not be asked every second.
      if (status.state === 'connected' || status.state === 'readonly') steady ??= setTimeout(() => (failures = 0), lasting)
      link.status(status)
      if (status.state === 'connecting' || status.state === 'connected' || status.state === 'readonly') return
      isOver = true
      const over = connection
      connection = undefined
      // It may end before `open` has returned it.
      closing = Promise.resolve().then(() => (over ?? opened)?.close()).catch(ignore)
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
      await Promise.all([closing, Promise.resolve(connection).then((open) => open?.close()).catch(ignore)])
    },
  }
}

/** A connection that can't be closed is over all the same; what went wrong with it was told by its status. */
const ignore = (): void => undefined
