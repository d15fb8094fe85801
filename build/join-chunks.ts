import { type LoadGraph, loadedWith, merged, presentAt } from './load-graph.ts'

export interface JoinLimits {
  /** What has more bytes joins nothing, though smaller ones may join it. */
  readonly small: number
  /** The part of what a page has that it may load in vain. */
  readonly vain: number
  /** The entries, and the parts that are loaded later, with which nothing may be loaded in vain. */
  readonly strict: readonly string[]
}

/** About what a page is spared that loads one file less: the statements that import and export, and a request. */
const fileBytes = 100

/**
 * Joins small chunks with others: always the two for which pages load least in vain, until every page would load more in
 * vain than it may. No entry is joined with anything, nor is one part that is loaded later with another.
 *
 * Gives the chunk that each became part of.
 */
export function joinChunks(given: LoadGraph, { small, vain, strict }: JoinLimits): Map<string, string> {
  const home = new Map([...given.bytes.keys()].map((chunk) => [chunk, chunk] as const))
  const may = new Map<string, number>()
  for (const [root, has] of presentAt(given)) may.set(root, strict.includes(root) ? 0 : vain * bytesOf(has, given))
  for (const part of strict) if (!may.has(part)) throw new Error(`Neither an entry nor loaded later: ${part}`)
  for (let chunks = given; ; ) {
    const best = cheapestJoin(chunks, small, may)
    if (best === undefined) return home
    for (const [root, bytes] of best.vain) may.set(root, may.get(root)! - bytes)
    const moved = (chunk: string): string => (chunk === best.from ? best.into : chunk)
    for (const [chunk, now] of home) home.set(chunk, moved(now))
    chunks = merged(chunks, moved)
  }
}

/** A chunk that becomes part of another. */
interface Join {
  readonly from: string
  readonly into: string
  readonly cost: number
  /** The bytes loaded in vain, by the entry or the part that runs. */
  readonly vain: ReadonlyMap<string, number>
}

function cheapestJoin(chunks: LoadGraph, small: number, may: ReadonlyMap<string, number>): Join | undefined {
  const present = presentAt(chunks)
  const loads = new Map([...chunks.bytes.keys()].map((chunk) => [chunk, loadedWith(chunk, chunks)] as const))
  let best: Join | undefined
  for (const [from, bytes] of chunks.bytes) {
    if (bytes > small || present.has(from)) continue
    for (const into of chunks.bytes.keys()) {
      if (into === from || chunks.entries.has(into)) continue
      const both = new Set([...loads.get(from)!, ...loads.get(into)!])
      const join = joinOf(from, into, both, present, chunks, may)
      if (join === undefined || (best !== undefined && join.cost >= best.cost)) continue
      if (!isLinked(from, into, chunks, loads) && !isLinked(into, from, chunks, loads)) best = join
    }
  }
  return best
}

/** What a join costs, where every page may load what it then loads in vain. */
function joinOf(
  from: string,
  into: string,
  both: ReadonlySet<string>,
  present: ReadonlyMap<string, ReadonlySet<string>>,
  chunks: LoadGraph,
  may: ReadonlyMap<string, number>,
): Join | undefined {
  const vain = new Map<string, number>()
  let cost = 0
  for (const [root, has] of present) {
    const [one, other] = [has.has(from), has.has(into)]
    if (one && other) cost -= fileBytes
    if (one === other) continue
    const bytes = bytesOf(
      [...both].filter((chunk) => !has.has(chunk)),
      chunks,
    )
    if (bytes > may.get(root)!) return undefined
    vain.set(root, bytes)
    cost += bytes
  }
  return { from, into, cost, vain }
}

/** Whether one loads another over a third: joined, they and the third would import each other. */
function isLinked(
  one: string,
  other: string,
  chunks: LoadGraph,
  loads: ReadonlyMap<string, ReadonlySet<string>>,
): boolean {
  return [...chunks.imports.get(one)!].some((next) => next !== other && loads.get(next)!.has(other))
}

function bytesOf(some: Iterable<string>, { bytes }: LoadGraph): number {
  let sum = 0
  for (const one of some) sum += bytes.get(one)!
  return sum
}
