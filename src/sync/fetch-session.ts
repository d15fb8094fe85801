import * as Y from 'yjs'
import { includesVector } from '../domain/version-vector.ts'
import type { SyncTransport } from './link.ts'
import { openExchange } from './open-exchange.ts'
import { readStateVector } from './read-state-vector.ts'
import { openSyncDocument } from './sync-document.ts'
import type { SyncDocumentOptions } from './sync-document-options.ts'
import { toVector } from './to-vector.ts'

export interface FetchSessionOptions extends SyncDocumentOptions {
  readonly transport: SyncTransport
  readonly signal: AbortSignal
}

/** Entries were left out because nobody sends what they depend on. All others were taken in. */
export class EntriesMissing extends Error {
  constructor() {
    super('some of its entries depend on others that nobody sends')
  }
}

/** Questions in a row that may bring nothing, with growing waits between them. */
const mostAsks = 3

/**
 * Takes in everything that a session's document has elsewhere, and sends nothing.
 *
 * @throws Aborted; EntriesMissing; another Error when not all of it could be stored now
 */
export async function fetchSession({ transport, signal, ...options }: FetchSessionOptions): Promise<void> {
  const document = await openSyncDocument(options)
  // An empty document has nothing that could be sent.
  const empty = new Y.Doc({ guid: options.name })
  let theirs: ReadonlyMap<number, number> | undefined
  let isAnswered = false
  let hasCome = false
  /** Questions since something came, while what came depends on something that did not. */
  let asks = 0
  try {
    await openExchange<void>(signal, async (resolve, reject) => {
      const check = (): void => {
        if (theirs !== undefined && (isAnswered || includesVector(document.vector(), toVector(theirs)))) resolve()
      }
      const connection = transport.open({
        name: options.name,
        doc: empty,
        receive: async (update, origin) => {
          const { added, sealed, hasGap, error } = await document.receive(update, origin)
          if (error !== undefined) return reject(error)
          if (sealed > 0) return reject(new Error(`${sealed} of its entries are sealed with yet another key`))
          if (added > 0 || !hasGap) asks = 0
          isAnswered = !hasGap
          hasCome = true
          check()
        },
        peerHas: (stateVector) => {
          theirs = readStateVector(stateVector)
          check()
        },
        status: (status) => {
          if (status.state === 'offline') reject(new Error('the connection was lost'))
          else if ('message' in status) reject(new Error(status.message))
        },
      })
      return {
        close: connection.close,
        ask: () => {
          asks += 1
          if (hasCome && !isAnswered && asks > mostAsks) reject(new EntriesMissing())
          else connection.ask()
        },
      }
    })
  } finally {
    empty.destroy()
    await document.close()
  }
}
