import * as Y from 'yjs'
import type { SyncLink } from '../../link.ts'
import type { DocumentLine } from '../document-line.ts'
import type { PeerDemand } from './peer-demand.ts'
import type { PeerMessageKind } from './peer-message.ts'
import type { PeerRoster } from './peer-roster.ts'
import { sendPieces } from './send-pieces.ts'

/** Pieces sent for one request, so that a peer that takes them in slowly is not flooded. */
const piecesAtOnce = 8

export interface PeerIncomingOptions {
  readonly link: SyncLink
  readonly line: DocumentLine
  readonly roster: PeerRoster
  readonly demand: PeerDemand
  readonly send: (kind: PeerMessageKind, to?: string, payload?: Uint8Array) => void
}

/** What to do for each kind of message from a peer. */
export type PeerIncoming = Readonly<Record<PeerMessageKind, (from: string, payload: Uint8Array) => void>>

export function peerIncoming({ link, line, roster, demand, send }: PeerIncomingOptions): PeerIncoming {
  const { doc } = link
  const sayWhatIsHere = (to: string): void => send('have', to, Y.encodeStateVector(doc))
  return {
    hello: (from, payload) => {
      // In turn, once everything that the peer sent before is stored: the peer asks for a proof of that.
      void line.inTurn(() => sayWhatIsHere(from))
      line.presence()?.greet()
      roster.add(from, payload)
    },
    have: (from, payload) => roster.add(from, payload),
    want: (from, payload) => {
      sendPieces(doc, Y.decodeStateVector(payload), piecesAtOnce, (piece) => send('update', from, piece))
      send('done', from)
    },
    whole: (from, payload) => {
      send('update', from, Y.encodeStateAsUpdate(doc, payload))
      send('done', from)
    },
    update: (_, payload) => void line.inTurn(() => link.receive(payload, line.connection)),
    done: (from) => void line.inTurn(() => demand.done(from, () => sayWhatIsHere(from))),
    presence: (_, payload) => line.presence()?.receive(payload),
    bye: (from) => roster.leave(from),
  }
}
