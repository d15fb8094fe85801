import { type Doc, encodeStateVector, parseUpdateMeta } from 'yjs'
import { hasAll } from './has-all.ts'
import { readStateVector } from './read-state-vector.ts'

/** How much of the list the other side is known to have. */
export interface ListCoverage {
  /** The other side sent this update, so it has what the update holds. */
  addUpdate(update: Uint8Array): void
  /** One of several peers says what it has. What is known of the others stays. */
  addVector(stateVector: Uint8Array): void
  /** The only other side says what it has. */
  setVector(stateVector: Uint8Array): void
  /**
   * A server says what it has.
   *
   * @returns whether it lacks something that it had before, maybe in an earlier connection
   */
  isSetBack(stateVector: Uint8Array): boolean
  /** Whether the other side has all that this document has. */
  hasAllOf(doc: Doc): boolean
  /** Whether this document has all that the other side has. */
  isWithin(doc: Doc): boolean
  /** The connection is gone: nothing is known any more. */
  clear(): void
}

export function createListCoverage(): ListCoverage {
  /** What the other side has, by client. */
  let clocks: Map<number, number> | undefined
  let serverHad: ReadonlyMap<number, number> = new Map()
  const add = (known: Map<number, number>, more: ReadonlyMap<number, number>): void => {
    for (const [client, next] of more) known.set(client, Math.max(next, known.get(client) ?? 0))
  }
  return {
    addUpdate: (update) => {
      const { to } = parseUpdateMeta(update)
      if (clocks !== undefined) add(clocks, to)
    },
    addVector: (stateVector) => {
      clocks = new Map(clocks)
      add(clocks, readStateVector(stateVector))
    },
    setVector: (stateVector) => {
      clocks = new Map(readStateVector(stateVector))
    },
    isSetBack: (stateVector) => {
      const has = readStateVector(stateVector)
      const isSetBack = !hasAll(has, serverHad)
      serverHad = has
      return isSetBack
    },
    hasAllOf: (doc) => clocks !== undefined && hasAll(clocks, stateOf(doc)),
    isWithin: (doc) => hasAll(stateOf(doc), clocks ?? new Map()),
    clear: () => {
      clocks = undefined
    },
  }
}

const stateOf = (doc: Doc): ReadonlyMap<number, number> => readStateVector(encodeStateVector(doc))
