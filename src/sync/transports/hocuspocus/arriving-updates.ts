import type { Doc } from 'yjs'
import { vectorWith } from '../vector-with.ts'

/** The updates of a server that are on their way into a document. */
export interface ArrivingUpdates {
  add(update: Uint8Array): void
  /** It was taken in. */
  taken(update: Uint8Array): void
  /** The state vector of the document with all of them, so that the server does not send them again. */
  vector(): Uint8Array
  /** Everything that the server had is processed, or nothing is processed any more. */
  finish(): void
  /** Resolves then. */
  readonly whole: Promise<void>
}

export function createArrivingUpdates(doc: Doc): ArrivingUpdates {
  const arriving = new Set<Uint8Array>()
  let finish: () => void = () => undefined
  const whole = new Promise<void>((resolve) => (finish = resolve))
  return {
    add: (update) => void arriving.add(update),
    taken: (update) => void arriving.delete(update),
    vector: () => vectorWith(doc, arriving),
    finish,
    whole,
  }
}
