import type { SyncLink } from './link.ts'
import type { ListConnectionOptions } from './list-connection-options.ts'
import type { ListCoverage } from './list-coverage.ts'
import type { ListReach } from './list-reach.ts'
import type { ListReceiver } from './list-receiver.ts'
import type { ListEvent } from './machine/machine-event.ts'

/** Reports what happened, with what the connection says now. */
export type ListReport = (type: Exclude<ListEvent['type'], 'listRefused'>) => Promise<void>

export interface ListLinkOptions extends ListConnectionOptions {
  readonly reach: ListReach
  readonly coverage: ListCoverage
  readonly receiver: ListReceiver
  readonly happened: ListReport
  /** The list of the other side has arrived. Resolves when that was dealt with. */
  readonly noteList: () => Promise<void>
  /** The other side does not have all of the list here. */
  readonly onBehind: () => void
  /** The other side cannot be reached any more. */
  readonly lose: () => void
}

/** What the connection of the list reports, and what follows from it. */
export function listLink(options: ListLinkOptions): SyncLink {
  const { transport, namespace, index, reach, coverage, receiver, noteList, onBehind, lose, happened, emit } = options
  const isAmongPeers = transport.onAsked !== undefined
  return {
    name: `${namespace}/index`,
    doc: index().doc,
    receive: async (update, origin) => {
      try {
        await receiver.receive(update, origin)
        coverage.addUpdate(update)
      } catch (error) {
        void emit({ type: 'listRefused', reason: (error as Error).message })
      }
      // What the other side is known to have may have changed, though no entry has.
      void happened('listMoved')
      await noteList()
    },
    peerHas: (stateVector) => {
      if (!isAmongPeers && coverage.isSetBack(stateVector)) void happened('listSetBack')
      // Of several peers, one that sent something is not asked whether the others have got it.
      if (reach.hasOthers()) coverage.addVector(stateVector)
      else coverage.setVector(stateVector)
      // A peer that has nothing new sends nothing.
      if (coverage.isWithin(index().doc)) void noteList()
      if (reach.isConnected() && !coverage.hasAllOf(index().doc)) onBehind()
      void happened('listMoved')
    },
    status: (status) => {
      reach.setStatus(status)
      if (reach.isUp()) void happened('listUp')
      else lose()
      void happened('listMoved')
    },
    others: (count) => {
      const before = reach.setOthers(count)
      if (count > before) {
        coverage.clear()
        if (before === 0) void happened('listUp')
        void happened('peerCame')
      } else if (count === 0) lose()
      void happened('listMoved')
    },
  }
}
