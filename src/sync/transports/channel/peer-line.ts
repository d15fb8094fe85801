import * as Y from 'yjs'
import type { LinkStatus, SyncConnection, SyncLink } from '../../link.ts'
import { hasMore } from '../clocks.ts'
import { connectPresence } from '../connect-presence.ts'
import { createLineLifetime } from '../line-lifetime.ts'
import { pieceSize } from '../update-piece.ts'
import { createPeerDemand } from './peer-demand.ts'
import { peerHandlers } from './peer-handlers.ts'
import type { PeerMessage, PeerMessageKind } from './peer-message.ts'
import { createPeerRoster } from './peer-roster.ts'
import { sendPieces } from './send-pieces.ts'

/**
 * How long to wait before asking again whether all peers have everything, in milliseconds: one that lacks something may
 * be gone.
 */
const lackingMs = 2000
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
  const { name, doc, awareness } = link
  const me = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(36)).join('')
  let lacking: ReturnType<typeof setTimeout> | undefined

  const send = (kind: PeerMessageKind, to = '', payload: Uint8Array = nothing): void =>
    post({ name, kind, from: me, to, payload })
  const vector = (): Uint8Array => Y.encodeStateVector(doc)
  const roster = createPeerRoster({
    greet: () => send('hello', '', vector()),
    onKnown: () => reportPeers(),
    onLeave: (peer) => demand.leave(peer),
  })
  const demand = createPeerDemand({ doc, peers: roster.peers, ask: send })

  const { isOver, inTurn, end, close } = createLineLifetime({
    link,
    goodbye: () => {
      presence?.close()
      send('bye')
    },
    release: () => {
      demand.close()
      roster.close()
      clearTimeout(lacking)
      doc.off('update', onUpdate)
      onEnd()
    },
  })

  const onUpdate = (update: Uint8Array, origin: unknown, _: Y.Doc, { beforeState }: Y.Transaction): void => {
    if (origin === connection) return
    if (update.length <= pieceSize) return send('update', '', update)
    sendPieces(doc, beforeState, Infinity, (piece) => send('update', '', piece))
  }
  const askLater = (): void => {
    lacking ??= setTimeout(() => {
      lacking = undefined
      connection.ask()
    }, lackingMs)
  }
  /** Reports how many peers are there, and what all of them have. */
  const reportPeers = (): void => {
    const [count, common] = [roster.peers.size, roster.common()]
    inTurn(() => {
      link.others?.(count)
      if (common === undefined) return
      link.peerHas(Y.encodeStateVector(common as Map<number, number>))
      demand.more()
      if (hasMore(Y.decodeStateVector(vector()), common)) askLater()
    })
  }

  const connection: SyncConnection = {
    ask: () => {
      if (!isOver()) roster.ask()
    },
    close,
  }
  const presence = awareness && connectPresence(awareness, connection, (update) => send('presence', '', update))
  doc.on('update', onUpdate)
  queueMicrotask(() => {
    if (isOver()) return
    link.status({ state: 'connected' })
    connection.ask()
    presence?.greet()
  })

  const receive = (update: Uint8Array): Promise<void> => link.receive(update, connection)
  const handlers = peerHandlers({ doc, roster, demand, presence, send, inTurn, receive, reportPeers })
  return {
    connection,
    end,
    incoming: ({ kind, from, to, payload }) => {
      if (from !== me && (to === '' || to === me)) handlers[kind](from, payload)
    },
  }
}
