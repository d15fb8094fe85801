import * as Y from 'yjs'
import type { LinkStatus, SyncConnection, SyncLink } from '../../link.ts'
import { createTaskQueue } from '../../task-queue.ts'
import { connectPresence } from '../presence.ts'
import { type Clocks, nextPiece, pieceSize } from '../update-piece.ts'
import type { PeerMessage, PeerMessageKind } from './peer-message.ts'

/** Pieces sent on one demand: whoever takes them in slowly is not flooded. */
const piecesAtOnce = 8
/** How long a demand may go without its end, in milliseconds: whoever it went to may be gone. */
const patience = 5_000
/** How long a question may go without an answer. Who is only slow is met again by the answer. */
const answerMs = 2000
/** Waits before it is asked once more who is there, in milliseconds: others may have to open it first. */
const seekMs = [250, 500, 1000, 2000]
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
  /** Those that have not answered the last question. */
  const silent = new Set<string>()
  /** Whom more was asked of, and what was here then. */
  let demand: { readonly of: string; readonly had: string; readonly isWhole: boolean } | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let seeking: ReturnType<typeof setTimeout> | undefined
  let listening: ReturnType<typeof setTimeout> | undefined
  let lacking: ReturnType<typeof setTimeout> | undefined
  const arrivals = createTaskQueue()
  let isOver = false

  const tell = (kind: PeerMessageKind, to = '', payload: Uint8Array = nothing): void => post({ name, kind, from: me, to, payload })
  const vector = (): Uint8Array => Y.encodeStateVector(doc)

  const finish = (): void => {
    if (isOver) return
    presence?.close()
    tell('bye')
    isOver = true
    for (const one of [timer, seeking, listening, lacking]) clearTimeout(one)
    doc.off('update', onUpdate)
    onEnd()
  }
  const inTurn = (task: () => Promise<void> | void): void =>
    void arrivals.run(async () => {
      if (!isOver) await task()
    }).catch(({ message }: Error) => end({ state: 'error', message }))
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
    const ours = Y.decodeStateVector(vector())
    const of = [...peers].find(([id, clocks]) => id !== except && hasMore(clocks, ours))?.[0]
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
    return Y.encodeStateVector(new Map([...first!].map(([client, clock]) => [client, others.reduce((least, clocks) => Math.min(least, clocks.get(client) ?? 0), clock)])))
  }
  const met = ({ from, payload }: PeerMessage): void => {
    peers.set(from, Y.decodeStateVector(payload))
    silent.delete(from)
    clearTimeout(seeking)
    seeking = undefined
    tellOthers()
  }
  /** Those that are there, and what all of them have. */
  const tellOthers = (): void => {
    const [count, everybody] = [peers.size, peers.size > 0 ? common() : undefined]
    inTurn(() => {
      link.others?.(count)
      if (everybody === undefined) return
      link.peerHas(everybody)
      demandMore()
      // Whoever lacks something may be gone without a word.
      if (hasMore(Y.decodeStateVector(vector()), Y.decodeStateVector(everybody))) lacking ??= setTimeout(() => ((lacking = undefined), connection.ask()), answerMs)
    })
  }
  const leave = (id: string): void => {
    peers.delete(id)
    silent.delete(id)
    if (demand?.of === id) stopDemand()
  }

  /** Asks who is there until somebody is, a few times. */
  const seek = (round = 0): void => {
    tell('hello', '', vector())
    seeking = setTimeout(() => {
      if (round + 1 < seekMs.length) return seek(round + 1)
      seeking = undefined
      tellOthers()
    }, seekMs[round])
  }
  /** Who does not answer is not waited for. */
  const listen = (): void => {
    tell('hello', '', vector())
    for (const id of peers.keys()) silent.add(id)
    listening ??= setTimeout(() => {
      listening = undefined
      for (const id of [...silent]) leave(id)
      tellOthers()
    }, answerMs)
  }

  const connection: SyncConnection = {
    ask: () => {
      if (isOver) return
      if (peers.size > 0) listen()
      else if (seeking === undefined) seek()
    },
    close: async () => {
      finish()
      await arrivals.done()
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
          // Once what they sent before is stored: they ask for a proof of that.
          inTurn(() => tell('have', from, vector()))
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
            tell('have', from, vector())
            // A hole is only let in together with the purge that made it, which may be pieces away.
            if (isStuck && !isWhole && hasMore(peers.get(from) ?? new Map(), Y.decodeStateVector(vector()))) return demandOf(from, true)
            // What brought nothing even so is not asked for again until they speak: it is refused here.
            demandMore(isStuck ? from : undefined)
          })
        case 'presence':
          return presence?.receive(payload)
        case 'bye':
          if (!peers.has(from)) return
          leave(from)
          return tellOthers()
      }
    },
  }
}

const hasMore = (clocks: Clocks, than: Clocks): boolean => [...clocks].some(([client, clock]) => clock > (than.get(client) ?? 0))
