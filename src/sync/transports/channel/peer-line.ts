import * as Y from 'yjs'
import type { LinkStatus, SyncConnection, SyncLink } from '../../link.ts'
import type { Clocks } from '../clocks.ts'
import { createDocumentLine } from '../document-line.ts'
import { pieceSize } from '../update-piece.ts'
import { createPeerDemand } from './peer-demand.ts'
import { peerIncoming } from './peer-incoming.ts'
import type { PeerMessage, PeerMessageKind } from './peer-message.ts'
import { createPeerReport } from './peer-report.ts'
import { createPeerRoster } from './peer-roster.ts'
import { sendPieces } from './send-pieces.ts'

const nothing = new Uint8Array()

/** One document among peers. */
export interface PeerLine {
  readonly connection: SyncConnection
  incoming(message: PeerMessage): void
  end(status: LinkStatus): void
}

export interface PeerLineOptions {
  readonly link: SyncLink
  readonly post: (message: PeerMessage) => void
  readonly onEnd: () => void
}

export function openPeerLine({ link, post, onEnd }: PeerLineOptions): PeerLine {
  const { name, doc } = link
  const me = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(36)).join('')
  const peers = new Map<string, Clocks>()
  const line = createDocumentLine(link)
  const send = (kind: PeerMessageKind, to = '', payload: Uint8Array = nothing): void =>
    post({ name, kind, from: me, to, payload })
  const demand = createPeerDemand({ doc, peers, ask: send })
  const standing = createPeerReport({ link, line, peers, demand })
  const roster = createPeerRoster({
    peers,
    greet: () => send('hello', '', Y.encodeStateVector(doc)),
    onKnown: standing.report,
    onLeave: demand.leave,
  })

  const onUpdate = (update: Uint8Array, origin: unknown, _: Y.Doc, { beforeState }: Y.Transaction): void => {
    if (origin === line.connection) return
    if (update.length <= pieceSize) return send('update', '', update)
    sendPieces(doc, beforeState, Infinity, (piece) => send('update', '', piece))
  }
  doc.on('update', onUpdate)
  line.begin({
    onReached: roster.ask,
    publish: (update) => send('presence', '', update),
    ask: (done) => {
      roster.ask()
      done()
    },
    release: () => {
      send('bye')
      demand.close()
      roster.close()
      standing.close()
      doc.off('update', onUpdate)
      onEnd()
    },
  })

  const handlers = peerIncoming({ link, line, roster, demand, send })
  return {
    connection: line.connection,
    end: line.end,
    incoming: ({ kind, from, to, payload }) => {
      if (from !== me && (to === '' || to === me)) handlers[kind](from, payload)
    },
  }
}
