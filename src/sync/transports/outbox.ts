import * as Y from 'yjs'
import { createBreather } from '../../pacing/breather.ts'
import type { Clocks } from './clocks.ts'
import { deletionsOf, unknownDeletions } from './deletions.ts'
import { nextPiece, pieceSize } from './update-piece.ts'

export interface OutboxOptions {
  readonly doc: Y.Doc
  /** The origin of transactions that came from the other side. */
  readonly origin: unknown
  /** Sends an update. Resolves when the next one may follow. Never rejects. */
  readonly send: (update: Uint8Array) => Promise<void> | void
  /** Called when the document cannot be encoded. */
  readonly fail: (error: Error) => void
  readonly limit?: number
}

/**
 * What has to be sent of one document to one other side: everything beyond what that side has, in pieces and in order,
 * and each later change. Nothing is sent before the other side has said what it has, or it would travel twice.
 */
export interface Outbox {
  /**
   * The other side says what it has.
   *
   * @param isCurrent - whether it has seen everything that was sent
   * @throws when the bytes are not a state vector
   */
  peerHas(stateVector: Uint8Array, isCurrent: boolean): void
  /**
   * The other side answered with what it has beyond ours, including its deletions. If they differ from ours, ours are
   * sent, once.
   */
  peerAnswered(update: Uint8Array): void
  /** Resolves when everything in the document was sent, or the outbox was closed. */
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
      // What was sent leaves only while this thread is idle: the other side takes it in while the next piece is
      // written.
      await breathe()
    }
    // In the same tick as the last check, or updates that arrive in between would not be sent.
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

  /**
   * Transactions instead of updates: Yjs would encode each update, only to encode it again in pieces, or for nobody.
   */
  const onTransaction = (transaction: Y.Transaction): void => {
    if (sent === undefined) return
    if (transaction.origin === origin) {
      sent = withReceived(sent, transaction)
      return
    }
    // The update event with the deletions comes next.
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
      if (!isCurrent || running !== undefined)
        for (const [client, clock] of sent ?? []) known.set(client, Math.max(clock, known.get(client) ?? 0))
      sent = known
      run()
    },
    peerAnswered: (update) => {
      if (knowsDeletions) return
      knowsDeletions = true
      const ours = unknownDeletions(doc, update)
      if (ours !== undefined) deletions.push(ours)
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

/** What the other side has after it sent what this transaction applied. */
function withReceived(sent: Clocks, { beforeState, afterState }: Y.Transaction): Clocks {
  const known = new Map(sent)
  for (const [client, after] of afterState) {
    const before = beforeState.get(client) ?? 0
    if (after > before && (known.get(client) ?? 0) >= before) known.set(client, Math.max(after, known.get(client) ?? 0))
  }
  return known
}
