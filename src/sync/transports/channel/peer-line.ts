import * as Y from 'yjs'
import type { LinkStatus, SyncConnection, SyncLink } from '../../link.ts'
import { connectPresence } from '../presence.ts'
import { type Clocks, nextPiece, pieceSize } from '../update-piece.ts'
import type { PeerMessage, PeerMessageKind } from './peer-message.ts'

/** Pieces sent on one demand: whoever takes them in slowly is not flooded. */
const piecesAtOnce = 8
/** How long a demand may go without its end, in milliseconds: whoever it went to may be gone. */
const patience = 5_000
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
  const peers = new Map<string, Clocks>()
  /** Those that have not been heard since the last question. */
  const silent = new Set<string>()
  /** Whom more was asked of, and what was here then. */
  let demand: { readonly of: string; readonly had: string; readonly isWhole: boolean } | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let received: Promise<void> = Promise.resolve()
  let isOver = false

  const tell = (kind: PeerMessageKind, to = '', payload: Uint8Array = nothing): void => post({ name, kind, from: me, to, payload })
  const vector = (): Uint8Array => Y.encodeStateVector(doc)

  const finish = (): void => {
    if (isOver) return
    presence?.close()
    tell('bye')
    isOver = true
    clearTimeout(timer)
    doc.off('update', onUpdate)
    onEnd()
  }
  const inTurn = (task: () => Promise<void> | void): void => {
    received = received.then(async () => {
      if (!isOver) await task()
    }).catch((error: unknown) => end({ state: 'error', message: (error as Error).message }))
  }
  const end = (status: LinkStatus): void => {
    if (isOver) return
    finish()
    link.status(status)
  }

  const stopDemand = (): void => {
    clearTimeout(timer)
    demand = undefined
  }
  /** One at a time: two who have the same would send it twice. */
  const demandMore = (except?: string): void => {
    if (demand !== undefined) return
    const of = [...peers].find(([id, clocks]) => id !== except && hasMore(clocks, doc))?.[0]
    if (of !== undefined) demandOf(of, false)
  }
  const demandOf = (of: string, isWhole: boolean): void => {
    demand = { of, had: String(vector()), isWhole }
    timer = setTimeout(() => {
      stopDemand()
      demandMore(of)
    }, patience)
    tell(isWhole ? 'whole' : 'want', of, vector())
  }

  const onUpdate = (update: Uint8Array, origin: unknown, _: Y.Doc, { beforeState }: Y.Transaction): void => {
    if (origin === connection) return
    if (update.length <= pieceSize) return tell('update', '', update)
    sendFrom(beforeState, '', Infinity)
  }
  const sendFrom = (from: Clocks, to: string, most: number): void => {
    let reached = from
    for (let i = 0; i < most; i++) {
      const piece = nextPiece(doc, reached)
      if (piece !== undefined) tell('update', to, piece.update)
      if (piece === undefined || piece.isLast) {
        const deletions = Y.encodeStateAsUpdate(doc, vector())
        if (deletions.length > 2) tell('update', to, deletions)
        return
      }
      reached = piece.reached
    }
  }

  /** What everybody has. */
  const common = (): Uint8Array => {
    const [first, ...others] = [...peers.values()]
    return Y.encodeStateVector(new Map([...first!].map(([client, clock]) => [client, Math.min(clock, ...others.map((clocks) => clocks.get(client) ?? 0))])))
  }
  const met = ({ from, payload }: PeerMessage): void => {
    peers.set(from, Y.decodeStateVector(payload))
    silent.delete(from)
    const everybody = common()
    inTurn(() => {
      link.peerHas(everybody)
      demandMore()
    })
  }

  const connection: SyncConnection = {
    ask: () => {
      if (isOver) return
      for (const id of [...peers.keys()]) {
        if (silent.has(id)) peers.delete(id)
        else silent.add(id)
      }
      tell('hello', '', vector())
    },
    close: async () => {
      finish()
      await received
    },
  }
  const presence = awareness && connectPresence(awareness, connection, (update) => tell('presence', '', update))
  doc.on('update', onUpdate)
  queueMicrotask(() => {
    if (isOver) return
    link.status({ state: 'connected' })
    connection.ask()
    presence?.greet()
  })

  return {
    connection,
    end,
    incoming: (message) => {
      const { kind, from, to, payload } = message
      if (from === me || (to !== '' && to !== me)) return
      switch (kind) {
        case 'hello':
          tell('have', from, vector())
          presence?.greet()
          return met(message)
        case 'have':
          return met(message)
        case 'want':
          sendFrom(Y.decodeStateVector(payload), from, piecesAtOnce)
          return tell('done', from)
        case 'whole':
          tell('update', from, Y.encodeStateAsUpdate(doc, payload))
          return tell('done', from)
        case 'update':
          return inTurn(() => link.receive(payload, connection))
        case 'done':
          return inTurn(() => {
            if (demand?.of !== from) return
            const isStuck = demand.had === String(vector())
            const { isWhole } = demand
            stopDemand()
            // A hole is only let in together with the purge that made it, which may be pieces away.
            if (isStuck && !isWhole && hasMore(peers.get(from) ?? new Map(), doc)) return demandOf(from, true)
            // What brought nothing even so is not asked for again until they speak: it is refused here.
            demandMore(isStuck ? from : undefined)
          })
        case 'presence':
          return presence?.receive(payload)
        case 'bye':
          peers.delete(from)
          if (demand?.of !== from) return
          stopDemand()
          return demandMore()
      }
    },
  }
}

const hasMore = (clocks: Clocks, doc: Y.Doc): boolean => [...clocks].some(([client, clock]) => clock > Y.getState(doc.store, client))
