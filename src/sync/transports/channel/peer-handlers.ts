import * as Y from 'yjs'
import type { ConnectedPresence } from '../connect-presence.ts'
import type { PeerDemand } from './peer-demand.ts'
import type { PeerMessageKind } from './peer-message.ts'
import type { PeerRoster } from './peer-roster.ts'
import { sendPieces } from './send-pieces.ts'

/** Pieces sent for one request, so that a peer that takes them in slowly is not flooded. */
const piecesAtOnce = 8

export interface PeerHandlersOptions {
  readonly doc: Y.Doc
  readonly roster: PeerRoster
  readonly demand: PeerDemand
  readonly presence: ConnectedPresence | undefined
  readonly send: (kind: PeerMessageKind, to?: string, payload?: Uint8Array) => void
  /** Runs a task after those before it have ended. */
  readonly inTurn: (task: () => Promise<void> | void) => void
  readonly receive: (update: Uint8Array) => Promise<void>
  /** It is known again who is there. */
  readonly reportPeers: () => void
}

/** What to do for each kind of message from a peer. */
export type PeerHandlers = Readonly<Record<PeerMessageKind, (from: string, payload: Uint8Array) => void>>

export function peerHandlers({
  doc,
  roster,
  demand,
  presence,
  send,
  inTurn,
  receive,
  reportPeers,
}: PeerHandlersOptions): PeerHandlers {
  const vector = (): Uint8Array => Y.encodeStateVector(doc)
  return {
    hello: (from, payload) => {
      // In turn, once everything that the peer sent before is stored: the peer asks for a proof of that.
      inTurn(() => send('have', from, vector()))
      presence?.greet()
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
    update: (_, payload) => inTurn(() => receive(payload)),
    done: (from) => inTurn(() => demand.done(from, () => send('have', from, vector()))),
    presence: (_, payload) => presence?.receive(payload),
    bye: (from) => {
      if (!roster.peers.has(from)) return
      roster.remove(from)
      reportPeers()
    },
  }
}
