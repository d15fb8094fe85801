import { type KeptConnection, keepConnected } from './keep-connected.ts'
import type { ListConnectionOptions } from './list-connection-options.ts'
import { createListCoverage } from './list-coverage.ts'
import { type ListReport, listLink } from './list-link.ts'
import { createListReach } from './list-reach.ts'
import { createListReceiver } from './list-receiver.ts'
import { noList } from './machine/machine-state.ts'

/**
 * How long to wait before asking again after an answer that did not include everything, in milliseconds: the answer may
 * have been on its way.
 */
const nudgeMs = 2000

/** The connection of the list, which shows whether sessions can be exchanged at all. */
export interface ListConnection {
  open(): void
  /** The other side accepts nothing from here. */
  setReadonly(): void
  /** Whether the other side has everything that the list has here. */
  isSent(): boolean
  ask(): void
  retry(): void
  drop(): void
  /** Closes it, until it is opened again. */
  close(): Promise<void>
}

export function createListConnection(options: ListConnectionOptions): ListConnection {
  const { transport, index, isClosed, emit } = options
  const reach = createListReach(transport.onAsked !== undefined)
  const coverage = createListCoverage()
  let connection: KeptConnection | undefined
  let isOpen = false
  let hasList = false
  const ask = (): void => connection?.ask()
  const happened: ListReport = (type) =>
    emit({
      type,
      list: isOpen ? { isOpen, hasList, isUp: reach.isUp(), link: reach.link(), standing: reach.standing() } : noList,
    })
  const nudge = createNudge(ask)
  const receiver = createListReceiver({ index, ask, onRefused: (reason) => void emit({ type: 'listRefused', reason }) })

  const lose = (): void => {
    hasList = false
    coverage.clear()
    receiver.reset()
    nudge.cancel()
    void happened('listLost')
  }
  const noteList = async (): Promise<void> => {
    if (hasList || isClosed()) return
    const of = connection
    await options.loaded()
    if (hasList || connection !== of || reach.link().state === 'offline') return
    hasList = true
    await happened('listArrived')
  }

  return {
    open: () => {
      if (isOpen) return
      isOpen = true
      const link = listLink({ ...options, reach, coverage, receiver, happened, noteList, onBehind: nudge.plan, lose })
      connection = keepConnected(transport, link, options.retry)
    },
    setReadonly: () => {
      reach.setReadonly()
      void happened('listMoved')
    },
    isSent: () => coverage.hasAllOf(index().doc),
    ask,
    retry: () => connection?.retry(),
    drop: () => connection?.drop(),
    close: async () => {
      const closing = connection
      isOpen = false
      connection = undefined
      reach.clearTrouble()
      lose()
      await closing?.close()
    },
  }
}

/** Asks again after a while, once, however often that is planned in the meantime. */
function createNudge(ask: () => void): { readonly plan: () => void; readonly cancel: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    plan: () => {
      timer ??= setTimeout(() => {
        timer = undefined
        ask()
      }, nudgeMs)
    },
    cancel: () => {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
