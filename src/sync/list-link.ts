import type { SyncLink } from './link.ts'
import type { ListConnectionOptions } from './list-connection.ts'
import type { ListCoverage } from './list-coverage.ts'
import type { ListReach } from './list-reach.ts'
import type { ListReceiver } from './list-receiver.ts'

export interface ListLinkOptions extends ListConnectionOptions {
  readonly reach: ListReach
  readonly coverage: ListCoverage
  readonly receiver: ListReceiver
  /** The list of the other side has arrived. Resolves when that was dealt with. */
  readonly noteList: () => Promise<void>
  /** The other side does not have all of the list here. */
  readonly onBehind: () => void
  /** The other side cannot be reached any more. */
  readonly lose: () => void
}

/** What the connection of the list reports, and what follows from it. */
export function listLink(options: ListLinkOptions): SyncLink {
  const {
    transport,
    namespace,
    index,
    reach,
    coverage,
    receiver,
    noteList,
    onBehind,
    lose,
    onRefused,
    onUp,
    onChange,
  } = options
  const isAmongPeers = transport.onAsked !== undefined
  return {
    name: `${namespace}/index`,
    doc: index().doc,
    receive: async (update, origin) => {
      try {
        await receiver.receive(update, origin)
        coverage.addUpdate(update)
      } catch (error) {
        onRefused((error as Error).message)
      }
      await noteList()
    },
    peerHas: (stateVector) => {
      if (!isAmongPeers && coverage.isSetBack(stateVector)) options.onSetBack()
      // Of several peers, one that sent something is not asked whether the others have got it.
      if (reach.hasOthers()) coverage.addVector(stateVector)
      else coverage.setVector(stateVector)
      // A peer that has nothing new sends nothing.
      if (coverage.isWithin(index().doc)) void noteList()
      if (reach.isConnected() && !coverage.hasAllOf(index().doc)) onBehind()
      onChange()
    },
    status: (status) => {
      reach.setStatus(status)
      if (reach.isUp()) onUp()
      else lose()
      onChange()
    },
    others: (count) => {
      const before = reach.setOthers(count)
      if (count > before) {
        coverage.clear()
        if (before === 0) onUp()
        options.onCame()
      } else if (count === 0) lose()
      onChange()
    },
  }
}
