import type { SequenceRanges, VersionVector } from '../contract/entry.ts'
import { writerKey } from './address.ts'

/** A set of addresses, with one bit for each: sequence numbers have no gaps. */
export interface SequenceSet {
  /** @returns false when it was already in the set */
  add(w: number, s: number): boolean
  /**
   * The addresses below the counts of a vector that are missing. As ranges, because a count may come from elsewhere and
   * have any size.
   */
  missing(vector: VersionVector): SequenceRanges
  /** All addresses of the set. */
  held(): SequenceRanges
}

/** Bits of a page. */
const pageBits = 1024

export function createSequenceSet(): SequenceSet {
  const writers = new Map<string, Map<number, Uint32Array>>()

  const add = (w: number, s: number): boolean => {
    const writer = writerKey(w)
    let pages = writers.get(writer)
    if (pages === undefined) writers.set(writer, (pages = new Map()))
    const at = Math.floor(s / pageBits)
    let page = pages.get(at)
    if (page === undefined) pages.set(at, (page = new Uint32Array(pageBits / 32)))
    const bit = s - at * pageBits
    const mask = 1 << (bit & 31)
    const isNew = (page[bit >>> 5]! & mask) === 0
    page[bit >>> 5]! |= mask
    return isNew
  }

  const missing = (vector: VersionVector): SequenceRanges => {
    const found: Record<string, readonly (readonly [number, number])[]> = {}
    for (const [writer, next] of Object.entries(vector)) {
      const gaps = gapsOf(writers.get(writer) ?? new Map(), next)
      if (gaps.length > 0) found[writer] = gaps
    }
    return found
  }

  return {
    add,
    missing,
    held: () => Object.fromEntries([...writers].map(([writer, pages]) => [writer, rangesIn(pages)])),
  }
}

/** The ranges in which every bit is set. */
function rangesIn(pages: ReadonlyMap<number, Uint32Array>): (readonly [number, number])[] {
  const ranges: [number, number][] = []
  for (const at of [...pages.keys()].sort((a, b) => a - b)) {
    const page = pages.get(at)!
    for (let bit = 0; bit < pageBits; bit++) {
      if ((page[bit >>> 5]! & (1 << (bit & 31))) === 0) continue
      const s = at * pageBits + bit
      const last = ranges.at(-1)
      if (last?.[1] === s) last[1] = s + 1
      else ranges.push([s, s + 1])
    }
  }
  return ranges
}

/** The ranges from 0 up to a number in which no bit is set. */
function gapsOf(pages: ReadonlyMap<number, Uint32Array>, next: number): (readonly [number, number])[] {
  const gaps: (readonly [number, number])[] = []
  let at = 0
  for (const [from, to] of rangesIn(pages)) {
    if (from >= next) break
    if (at < from) gaps.push([at, from])
    at = to
  }
  if (at < next) gaps.push([at, next])
  return gaps
}
