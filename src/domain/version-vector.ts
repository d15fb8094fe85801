import type { SequenceRanges, VersionVector } from '../contract/entry.ts'
import { writerKey } from './address.ts'

/** Whether a vector includes the entry `(w, s)`, because its author knew it. */
export function covers(vector: VersionVector, w: number, s: number): boolean {
  return s < (vector[writerKey(w)] ?? 0)
}

/** The larger count of each writer. */
export function joinVectors(a: VersionVector, b: VersionVector): Record<string, number> {
  const joined: Record<string, number> = { ...a }
  for (const [writer, next] of Object.entries(b)) if (next > (joined[writer] ?? 0)) joined[writer] = next
  return joined
}

/** What both cover. */
export function commonVector(a: VersionVector, b: VersionVector): VersionVector {
  return Object.fromEntries(
    Object.entries(a)
      .map(([writer, next]) => [writer, Math.min(next, b[writer] ?? 0)] as const)
      .filter(([, next]) => next > 0),
  )
}

/** Whether `a` covers everything that `b` covers. */
export function includesVector(a: VersionVector, b: VersionVector): boolean {
  return Object.entries(b).every(([writer, next]) => next <= (a[writer] ?? 0))
}

/**
 * Whether ranges contain an entry. They are sorted and do not overlap: a session may have purged a hundred thousand
 * ranges.
 */
export function inRanges(ranges: SequenceRanges, w: number, s: number): boolean {
  const own = ranges[writerKey(w)]
  if (own === undefined) return false
  let [low, high] = [0, own.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (own[middle]![1] <= s) low = middle + 1
    else high = middle
  }
  return low < own.length && own[low]![0] <= s
}

/** How many numbers of an interval (its end excluded) the ranges contain. They are sorted and do not overlap. */
export function countWithin(ranges: readonly (readonly [number, number])[], from: number, to: number): number {
  return ranges.reduce((sum, [start, end]) => sum + Math.max(0, Math.min(end, to) - Math.max(start, from)), 0)
}

/** The first sequence number, from this one on, that no range contains. */
export function behindRanges(ranges: SequenceRanges, w: number, s: number): number {
  return (ranges[writerKey(w)] ?? []).reduce((at, [from, to]) => (from <= at && at < to ? to : at), s)
}

/**
 * The ranges between addresses, from 0 up to the counts of a vector. As ranges, because a count may come from elsewhere
 * and have any size.
 */
export function rangesBetween(
  vector: VersionVector,
  addresses: Iterable<{ readonly w: number; readonly s: number }>,
): SequenceRanges {
  const held = rangesOf(addresses)
  return Object.fromEntries(
    Object.entries(vector).flatMap(([writer, next]) => {
      const gaps: (readonly [number, number])[] = []
      let at = 0
      for (const [from, to] of held[writer] ?? []) {
        if (from >= next) break
        if (at < from) gaps.push([at, from])
        at = to
      }
      if (at < next) gaps.push([at, next])
      return gaps.length === 0 ? [] : [[writer, gaps]]
    }),
  )
}

/** The parts of ranges that others do not contain. Both are sorted and do not overlap. */
export function withoutRanges(ranges: SequenceRanges, others: SequenceRanges): SequenceRanges {
  return Object.fromEntries(
    Object.entries(ranges).flatMap(([writer, list]) => {
      const holes = others[writer] ?? []
      const left: (readonly [number, number])[] = []
      let next = 0
      for (const [from, to] of list) {
        let at = from
        while (next < holes.length && holes[next]![1] <= at) next++
        for (let i = next; i < holes.length && holes[i]![0] < to; i++) {
          if (at < holes[i]![0]) left.push([at, holes[i]![0]])
          at = Math.max(at, holes[i]![1])
        }
        if (at < to) left.push([at, to])
      }
      return left.length === 0 ? [] : [[writer, left]]
    }),
  )
}

/** The parts of ranges that others contain too. Both are sorted and do not overlap. */
export function commonRanges(ranges: SequenceRanges, others: SequenceRanges): SequenceRanges {
  return withoutRanges(ranges, withoutRanges(ranges, others))
}

/** The union of two sets of ranges, sorted and without overlaps. */
export function joinRanges(a: SequenceRanges, b: SequenceRanges): SequenceRanges {
  const joined: Record<string, readonly (readonly [number, number])[]> = { ...a }
  for (const [writer, ranges] of Object.entries(b))
    joined[writer] = mergeIntervals([...(joined[writer] ?? []), ...ranges])
  return joined
}

function mergeIntervals(intervals: readonly (readonly [number, number])[]): readonly (readonly [number, number])[] {
  const merged: [number, number][] = []
  for (const [from, to] of [...intervals].sort((x, y) => x[0] - y[0])) {
    const last = merged.at(-1)
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to)
    else if (from < to) merged.push([from, to])
  }
  return merged
}

/** Single addresses as ranges. */
export function rangesOf(addresses: Iterable<{ readonly w: number; readonly s: number }>): SequenceRanges {
  const lists: Record<string, (readonly [number, number])[]> = {}
  for (const { w, s } of addresses) (lists[writerKey(w)] ??= []).push([s, s + 1])
  return joinRanges({}, lists)
}

/** The ranges without one entry. */
export function withoutEntry(ranges: SequenceRanges, w: number, s: number): SequenceRanges {
  const writer = writerKey(w)
  const { [writer]: held = [], ...others } = ranges
  const left = held
    .flatMap(([from, to]): (readonly [number, number])[] =>
      from <= s && s < to
        ? [
            [from, s],
            [s + 1, to],
          ]
        : [[from, to]],
    )
    .filter(([from, to]) => from < to)
  return left.length === 0 ? others : { ...others, [writer]: left }
}
