import { encodeStateVector } from 'yjs'
import type { IndexDocument } from './index-document.ts'
import { sameBytes } from './same-bytes.ts'

/** How many requests in a row may bring nothing new. */
const mostAsks = 3

export interface ListReceiverOptions {
  /** The list, as it is kept now. */
  readonly index: () => IndexDocument
  /** Asks the other side for what an update depends on. */
  readonly ask: () => void
  readonly onRefused: (reason: string) => void
}

/** Takes in updates of the list, and asks a limited number of times for what they depend on. */
export interface ListReceiver {
  /** Rejects when the update is none of the list. */
  receive(update: Uint8Array, origin: unknown): Promise<void>
  /** The connection is gone: the next one may ask again. */
  reset(): void
}

export function createListReceiver({ index, ask, onRefused }: ListReceiverOptions): ListReceiver {
  /** Requests since one brought something. */
  let asks = 0
  return {
    receive: async (update, origin) => {
      const { doc, receive } = index()
      const before = encodeStateVector(doc)
      const hasGap = await receive(update, origin)
      if (!sameBytes(before, encodeStateVector(doc))) asks = 0
      if (!hasGap || asks > mostAsks) return
      asks += 1
      // Limited, because a server that has stored such an update sends it each time.
      if (asks <= mostAsks) ask()
      else onRefused('an update of the list depends on something that nobody sends')
    },
    reset: () => {
      asks = 0
    },
  }
}
