import { openRetiredDocument } from './encryption/retired-document.ts'
import { hasAll } from './has-all.ts'
import type { SyncTransport } from './link.ts'
import { openExchange } from './open-exchange.ts'
import { readStateVector } from './read-state-vector.ts'

export interface EmptyRetiredOptions {
  readonly transport: SyncTransport
  readonly signal: AbortSignal
  /** Name of the document under the old key. */
  readonly name: string
  /** Whether an element is in the document under the new key, for certain. */
  readonly isElsewhere: (w: number, s: number) => boolean
}

/**
 * Has the server delete what a document under the old key holds.
 *
 * @throws Aborted; an Error when the connection fails, or when the document got entries that are not elsewhere
 */
export async function emptyRetired({ transport, signal, name, isElsewhere }: EmptyRetiredOptions): Promise<void> {
  const retired = openRetiredDocument(name, isElsewhere)
  try {
    await openExchange<void>(signal, async (resolve, reject) => {
      // State vectors do not show deletions: the second answer is to a question that was asked after they were sent.
      let answersLeft = 2
      let hasArrived = false
      const connection = transport.open({
        name,
        doc: retired.doc,
        receive: async (update, origin) => {
          await retired.receive(update, origin)
          if (hasArrived) return
          hasArrived = true
          connection.ask()
        },
        peerHas: (stateVector) => {
          // Where nothing is, some transports deliver nothing.
          hasArrived ||= hasAll(new Map(), readStateVector(stateVector))
          if (!hasArrived) return
          answersLeft -= 1
          if (answersLeft > 0) connection.ask()
          else resolve()
        },
        status: (status) => {
          if (status.state === 'connecting' || status.state === 'connected') return
          reject(new Error('message' in status ? status.message : `the connection is ${status.state}`))
        },
      })
      return {
        // An answer may be lost, or late. Those to questions from before the deletions prove nothing.
        ask: () => {
          if (!hasArrived) answersLeft += 1
          connection.ask()
        },
        close: connection.close,
      }
    })
    if (retired.left() > 0) {
      throw new Error(
        `${retired.left()} entries under the old key arrived after the session was uploaded under the new one`,
      )
    }
  } finally {
    retired.destroy()
  }
}
