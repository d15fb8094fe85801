import type { IndexDocument } from './index-document.ts'
import { type KeptConnection, keepConnected } from './keep-connected.ts'
import type { LinkStatus, SyncTransport } from './link.ts'
import { createListCoverage } from './list-coverage.ts'
import { listLink } from './list-link.ts'
import { createListReach } from './list-reach.ts'
import { createListReceiver } from './list-receiver.ts'
import type { RetryOptions } from './retry-wait.ts'

/**
 * How long to wait before asking again after an answer that did not include everything, in milliseconds: the answer may
 * have been on its way.
 */
const nudgeMs = 2000

export interface ListConnectionOptions {
  readonly transport: SyncTransport
  readonly namespace: string
  readonly retry: RetryOptions
  /** The list, as it is now. */
  readonly index: () => IndexDocument
  /** Resolves once the local sessions are known. */
  readonly loaded: () => Promise<unknown>
  readonly isClosed: () => boolean
  /** Something arrived that is not valid for the list. */
  readonly onRefused: (reason: string) => void
  /** The list of the other side has arrived. */
  readonly onList: () => Promise<void>
  readonly onUp: () => void
  readonly onLost: () => void
  /**
   * The server lacks a part of the list that it had before: it was restored from an old backup, and may lack parts of
   * every session.
   */
  readonly onSetBack: () => void
  /** Among peers: a peer has joined, which may have content that no other peer had. */
  readonly onCame: () => void
  readonly onChange: () => void
}

/** The connection of the list, which shows whether sessions can be exchanged at all. */
export interface ListConnection {
  open(): void
  isOpen(): boolean
  link(): LinkStatus
  /** The same, but a trouble lasts until the connection works again, also while another attempt is made. */
  standing(): LinkStatus
  isUp(): boolean
  /** The other side accepts nothing from here. */
  setReadonly(): void
  /** Whether the list of the other side has arrived in this connection. */
  hasList(): boolean
  /** Whether the other side has everything that the list has here. */
  isSent(): boolean
  ask(): void
  retry(): void
  drop(): void
  /** Closes it, until it is opened again. */
  close(): Promise<void>
}

export function createListConnection(options: ListConnectionOptions): ListConnection {
  const { transport, index, isClosed, onRefused, onLost } = options
  const reach = createListReach(transport.onAsked !== undefined)
  const coverage = createListCoverage()
  const receiver = createListReceiver({ index, ask: () => connection?.ask(), onRefused })
  let connection: KeptConnection | undefined
  let hasList = false
  let nudge: ReturnType<typeof setTimeout> | undefined

  const lose = (): void => {
    hasList = false
    coverage.clear()
    receiver.reset()
    clearTimeout(nudge)
    nudge = undefined
    onLost()
  }
  const noteList = async (): Promise<void> => {
    if (hasList || isClosed()) return
    const of = connection
    await options.loaded()
    if (hasList || connection !== of || reach.link().state === 'offline') return
    hasList = true
    await options.onList()
  }
  const onBehind = (): void => {
    nudge ??= setTimeout(() => {
      nudge = undefined
      connection?.ask()
    }, nudgeMs)
  }

  return {
    open: () => {
      connection = keepConnected(
        transport,
        listLink({ ...options, reach, coverage, receiver, noteList, onBehind, lose }),
        options.retry,
      )
    },
    isOpen: () => connection !== undefined,
    link: reach.link,
    standing: reach.standing,
    isUp: reach.isUp,
    setReadonly: reach.setReadonly,
    hasList: () => hasList,
    isSent: () => coverage.hasAllOf(index().doc),
    ask: () => connection?.ask(),
    retry: () => connection?.retry(),
    drop: () => connection?.drop(),
    close: async () => {
      const closing = connection
      connection = undefined
      reach.clearTrouble()
      lose()
      await closing?.close()
    },
  }
}
