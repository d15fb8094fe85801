import * as Y from 'yjs'
import { createBreather } from '../../pacing/breather.ts'
import { sameBytes } from '../same-bytes.ts'
import { type Clocks, nextPiece, pieceSize } from './update-piece.ts'

export interface OutboxOptions {
  readonly doc: Y.Doc
  /** Of transactions that came from the other side. */
  readonly origin: unknown
  /** Sends an update; resolves when the next may follow. Never rejects. */
  readonly send: (update: Uint8Array) => Promise<void> | void
  /** Told when the document can't be encoded. */
  readonly fail: (error: Error) => void
  readonly limit?: number
}

/**
 * What one document has to send to one other side: everything beyond what that side said it has, in pieces and in order, and each change from then
 * on. Nothing goes out before the other side was heard, or it would travel twice.
 */
export interface Outbox {
  /**
   * The other side told its state vector.
   *
   * @param isCurrent - whether it has seen everything that was sent
   * @throws when the bytes are no state vector
   */
  peerHas(stateVector: Uint8Array, isCurrent: boolean): void
  /** The other side answered with what it has beyond us, which tells its deletions: where they differ from ours, it gets ours, once. */
  peerAnswered(update: Uint8Array): void
  /** Resolves when everything that the document holds has gone out, or it was closed. */
  idle(): Promise<void>
  close(): void
}

export function createOutbox({ doc, origin, send, fail, limit = pieceSize }: OutboxOptions): Outbox {
  let sent: Clocks | undefined
  let deletions: Uint8Array[] = []
  let knowsDeletions = false
  let running: Promise<void> | undefined
  let isClosed = false

  const pump = async (): Promise<void> => {
    const breathe = createBreather()
    for (;;) {
      const piece = isClosed || sent === undefined ? undefined : nextPiece(doc, sent, limit)
      const isEnd = piece === undefined || piece.isLast
      const updates = [...(piece === undefined ? [] : [piece.update]), ...(isEnd && !isClosed ? deletions : [])]
      if (updates.length === 0) break
      if (isEnd) deletions = []
      if (piece !== undefined) sent = piece.reached
      await send(updates.length === 1 ? updates[0]! : Y.mergeUpdates(updates))
      // What was sent only leaves while nothing is done here: the other side takes it in while the next piece is written.
      await breathe()
    }
    // In one go with the last look, or what comes between the two would stay.
    running = undefined
  }
  const run = (): void => {
    if (running !== undefined || isClosed || sent === undefined) return
    let finish!: () => void
    running = new Promise((resolve) => (finish = resolve))
    void pump()
      .catch((error: unknown) => {
        running = undefined
        fail(error as Error)
      })
      .then(finish)
  }

  /** Not of updates: Yjs would write each one out, to be written again in pieces, or for nobody. */
  const onTransaction = (transaction: Y.Transaction): void => {
    if (sent === undefined) return
    if (transaction.origin === origin) {
      const known = new Map(sent)
      for (const [client, after] of transaction.afterState) {
        const before = transaction.beforeState.get(client) ?? 0
        if (after > before && (known.get(client) ?? 0) >= before) known.set(client, Math.max(after, known.get(client) ?? 0))
      }
      sent = known
      return
    }
    // That of deletions comes next.
    if (knowsDeletions && transaction.deleteSet.clients.size > 0) doc.once('update', onDeletions)
    run()
  }
  const onDeletions = (update: Uint8Array): void => {
    deletions.push(deletionsOf(doc, update))
    run()
  }
  doc.on('afterTransactionCleanup', onTransaction)

  return {
    peerHas: (stateVector, isCurrent) => {
      const theirs = Y.decodeStateVector(stateVector)
      const known = new Map(theirs)
      if (!isCurrent || running !== undefined) for (const [client, clock] of sent ?? []) known.set(client, Math.max(clock, known.get(client) ?? 0))
      sent = known
      run()
    },
    peerAnswered: (update) => {
      if (knowsDeletions) return
      knowsDeletions = true
      const ours = Y.encodeStateAsUpdate(doc, Y.encodeStateVector(doc))
      if (sameBytes(ours, noDeletions) || sameBytes(ours, deletionsOf(doc, update))) return
      deletions.push(ours)
      run()
    },
    idle: async () => {
      while (running !== undefined) await running
    },
    close: () => {
      isClosed = true
      doc.off('afterTransactionCleanup', onTransaction)
      doc.off('update', onDeletions)
    },
  }
}

const noDeletions = new Uint8Array([0, 0])

/** An update without its elements. */
function deletionsOf(doc: Y.Doc, update: Uint8Array): Uint8Array {
  try {
    return Y.diffUpdate(update, everything(doc, update))
  } catch {
    return noDeletions
  }
}

function everything(doc: Y.Doc, update: Uint8Array): Uint8Array {
  const clocks = new Map(Y.decodeStateVector(Y.encodeStateVector(doc)))
  for (const [client, clock] of Y.parseUpdateMeta(update).to) clocks.set(client, Math.max(clock, clocks.get(client) ?? 0))
  return Y.encodeStateVector(clocks)
}
