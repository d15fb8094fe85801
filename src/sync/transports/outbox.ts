import * as Y from 'yjs'
import { createBreather } from '../../pacing/breather.ts'
import type { Clocks } from './clocks.ts'
import { createUnsentDeletions, type UnsentDeletions } from './unsent-deletions.ts'
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
  let running: Promise<void> | undefined
  let isClosed = false
  const deletions = createUnsentDeletions(doc)

  const pump = async (): Promise<void> => {
    const breathe = createBreather()
    while (!isClosed && sent !== undefined) {
      const next = nextUpdate(doc, sent, limit, deletions)
      if (next === undefined) break
      sent = next.reached
      await send(next.update)
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

  /** Not for updates: Yjs would encode each of them, only to encode it again in pieces, or for nobody. */
  const onTransaction = (transaction: Y.Transaction): void => {
    if (sent === undefined) return
    if (transaction.origin === origin) return void (sent = withReceived(sent, transaction))
    deletions.note(transaction, run)
    run()
  }
  doc.on('afterTransactionCleanup', onTransaction)

  return {
    peerHas: (stateVector, isCurrent) => {
      const theirs = Y.decodeStateVector(stateVector)
      sent = isCurrent && running === undefined ? theirs : furthest(theirs, sent ?? new Map())
      run()
    },
    peerAnswered: (update) => {
      if (deletions.peerHas(update)) run()
    },
    idle: async () => {
      while (running !== undefined) await running
    },
    close: () => {
      isClosed = true
      doc.off('afterTransactionCleanup', onTransaction)
      deletions.close()
    },
  }
}

/** The next update to send to a side that is at `from`, and how far that side is with it. Deletions come last. */
function nextUpdate(
  doc: Y.Doc,
  from: Clocks,
  limit: number,
  deletions: UnsentDeletions,
): { readonly update: Uint8Array; readonly reached: Clocks } | undefined {
  const piece = nextPiece(doc, from, limit)
  const updates = piece === undefined ? [] : [piece.update]
  if (piece === undefined || piece.isLast) for (const deletion of deletions.take()) updates.push(deletion)
  if (updates.length === 0) return undefined
  return { update: updates.length === 1 ? updates[0]! : Y.mergeUpdates(updates), reached: piece?.reached ?? from }
}

/** How far each client is in one or the other. */
function furthest(a: Clocks, b: Clocks): Clocks {
  const clocks = new Map(a)
  for (const [client, clock] of b) clocks.set(client, Math.max(clock, clocks.get(client) ?? 0))
  return clocks
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
