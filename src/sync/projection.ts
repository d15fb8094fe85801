import * as Y from 'yjs'
import type { SequenceRanges, VersionVector } from '../contract/entry.ts'
import { writerKey } from '../domain/address.ts'
import { countWithin, inRanges, joinRanges, withoutRanges } from '../domain/version-vector.ts'

/**
 * How many entries purged ranges may have: nobody writes more than this in a session. Forged ranges must not fill the
 * memory.
 */
const mostPurged = 1_000_000

/** The content at one address: that of an entry that was not purged. */
interface Element {
  readonly w: number
  readonly s: number
  /** An entry as it travels, or a sealed one as bytes. */
  readonly content: unknown
}

/** The root array of a writer. */
export function rootName(w: number): string {
  return `w:${writerKey(w)}`
}

/**
 * A session's log as a Y.Doc. Each writer has a root array and pushes to no other; its id is the client id, and the
 * sequence number is the clock. So the same set of entries gives the same bytes on every device, however often and in
 * whatever order it is made, and sending it again changes nothing. The projection is discarded and made again; it is
 * never the source of truth.
 */
export interface Projection {
  readonly doc: Y.Doc
  /** How far each writer is projected. */
  vector(): VersionVector
  /** The content at an address; `undefined` when there is none, or it was purged. */
  at(w: number, s: number): unknown
  /**
   * Adds what follows without a gap; the rest waits. `purged` elements are empty, known or not.
   *
   * @param origin - of the transaction: a connection does not send back what it has as its origin
   */
  add(elements: readonly Element[], purged: SequenceRanges, origin: unknown): void
  destroy(): void
}

export function createProjection(name: string): Projection {
  const doc = new Y.Doc({ guid: name })
  const next = new Map<number, number>()
  const waiting = new Map<number, Map<number, unknown>>()
  let holes: SequenceRanges = {}
  let room = mostPurged

  const countHoles = (w: number, below: number): number => countWithin(holes[writerKey(w)] ?? [], 0, below)

  const grow = (w: number, purged: SequenceRanges): void => {
    const queue = waiting.get(w)
    const start = next.get(w) ?? 0
    const grown = contentsFrom(start, queue, purged[writerKey(w)] ?? [], room)
    if (queue?.size === 0) waiting.delete(w)
    room = grown.room
    if (grown.contents.length === 0) return
    // Yjs draws itself a new id when an update from elsewhere has its own.
    doc.clientID = w
    doc.getArray<unknown>(rootName(w)).push(grown.contents)
    next.set(w, start + grown.contents.length)
  }

  /** Positions count only what is left. From the end, so that no deletion moves the next one. */
  const empty = (ranges: SequenceRanges): void => {
    const fresh = withoutRanges(ranges, holes)
    for (const [writer, list] of Object.entries(fresh)) {
      const w = Number.parseInt(writer, 36)
      const end = next.get(w) ?? 0
      for (const [from, to] of [...list].reverse()) {
        const length = Math.min(to, end) - from
        if (length > 0) doc.getArray(rootName(w)).delete(from - countHoles(w, from), length)
      }
      holes = joinRanges(holes, {
        [writer]: list.flatMap(([from, to]): [number, number][] => (from < end ? [[from, Math.min(to, end)]] : [])),
      })
    }
  }

  return {
    doc,
    vector: () => Object.fromEntries([...next].map(([w, count]) => [writerKey(w), count])),
    at: (w, s) =>
      s < (next.get(w) ?? 0) && !inRanges(holes, w, s)
        ? doc.getArray<unknown>(rootName(w)).get(s - countHoles(w, s))
        : undefined,
    add: (elements, purged, origin) => {
      for (const { w, s, content } of elements) {
        if (s < (next.get(w) ?? 0)) continue
        const queue = waiting.get(w) ?? new Map<number, unknown>()
        waiting.set(w, queue.set(s, content))
      }
      doc.transact(() => {
        for (const w of writersIn(waiting, purged)) grow(w, purged)
        empty(purged)
      }, origin)
    },
    destroy: () => doc.destroy(),
  }
}

function writersIn(waiting: ReadonlyMap<number, unknown>, purged: SequenceRanges): readonly number[] {
  const writers = new Set([...waiting.keys(), ...Object.keys(purged).map((writer) => Number.parseInt(writer, 36))])
  return [...writers].sort((a, b) => a - b)
}

/**
 * What follows `start` without a gap, taken from the queue; `null` for what was purged.
 *
 * @param room - how many purged elements may still be made
 */
function contentsFrom(
  start: number,
  queue: Map<number, unknown> | undefined,
  purged: readonly (readonly [from: number, to: number])[],
  room: number,
): { readonly contents: unknown[]; readonly room: number } {
  const contents: unknown[] = []
  let left = room
  for (let s = start, i = 0, counted = -1; ; s++) {
    while (i < purged.length && purged[i]![1] <= s) i++
    const range = purged[i]
    const isPurged = range !== undefined && range[0] <= s
    if (isPurged && counted < i) {
      if (range[1] - s > left) break
      left -= range[1] - s
      counted = i
    }
    const content = queue?.get(s)
    if (!isPurged && content === undefined) break
    queue?.delete(s)
    contents.push(isPurged ? null : content)
  }
  return { contents, room: left }
}
