import * as Y from 'yjs'
import type { SyncLink } from '../../link.ts'
import { type Clocks, hasMore } from '../clocks.ts'
import type { DocumentLine } from '../document-line.ts'
import type { PeerDemand } from './peer-demand.ts'

/**
 * How long to wait before asking again whether all peers have everything, in milliseconds: one that lacks something may
 * be gone.
 */
const lackingMs = 2000

export interface PeerReportOptions {
  readonly link: SyncLink
  readonly line: DocumentLine
  readonly peers: ReadonlyMap<string, Clocks>
  readonly demand: PeerDemand
}

/** Tells how many peers are there and what all of them have, and sees to it that this becomes the same. */
export interface PeerReport {
  report(): void
  close(): void
}

export function createPeerReport({ link, line, peers, demand }: PeerReportOptions): PeerReport {
  let timer: ReturnType<typeof setTimeout> | undefined
  const askLater = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined
      line.connection.ask()
    }, lackingMs)
  }
  return {
    report: () => {
      const [count, common] = [peers.size, commonClocks(peers)]
      void line.inTurn(() => {
        link.others?.(count)
        if (common === undefined) return
        line.send({ type: 'answered' })
        link.peerHas(Y.encodeStateVector(common))
        demand.more()
        if (hasMore(Y.decodeStateVector(Y.encodeStateVector(link.doc)), common)) askLater()
      })
    },
    close: () => clearTimeout(timer),
  }
}

/** What all peers have; `undefined` where there are none. */
function commonClocks(peers: ReadonlyMap<string, Clocks>): Map<number, number> | undefined {
  const [first, ...others] = [...peers.values()]
  if (first === undefined) return undefined
  const least = (client: number, clock: number): number =>
    others.reduce((min, clocks) => Math.min(min, clocks.get(client) ?? 0), clock)
  return new Map([...first].map(([client, clock]) => [client, least(client, clock)]))
}
