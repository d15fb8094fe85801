import { createPostingsWriter, readPostings, termAt, termCount } from './postings.ts'
import type { LiveSegment } from './rank-documents.ts'
import type { Segment } from './segment.ts'

/** Terms that one step joins: a few milliseconds of work. */
const stepSize = 256

/**
 * Joins segments into one, without their removed documents. It works in steps, so that other work can run in between.
 */
export function* mergeSegments(sources: readonly LiveSegment[]): Generator<void, Segment, undefined> {
  let count = 0
  // The new number of each document; -1 for removed ones.
  const numbers = sources.map(({ dead }) => Int32Array.from(dead, (isDead) => (isDead === 1 ? -1 : count++)))
  const pick = <T>(list: (segment: Segment) => ArrayLike<T>): T[] =>
    sources.flatMap(({ segment, dead }) => Array.from(list(segment)).filter((_, document) => dead[document] === 0))

  const writer = createPostingsWriter()
  const cursors = sources.map(({ segment, deadCount }, i) => ({
    segment,
    toNumber: numbers[i]!,
    isWhole: deadCount === 0,
    index: 0,
    term: termOf(segment, 0),
  }))
  for (let steps = 1; ; steps++) {
    let term: string | undefined
    for (const cursor of cursors)
      if (cursor.term !== undefined && (term === undefined || cursor.term < term)) term = cursor.term
    if (term === undefined) break
    writer.begin(term)
    for (const cursor of cursors) {
      if (cursor.term !== term) continue
      const {
        segment: { terms },
        toNumber,
        isWhole,
        index,
      } = cursor
      const isAlive = (document: number): boolean => toNumber[document]! >= 0
      if (isWhole) writer.addAll(terms, index, toNumber[0]!)
      else
        readPostings(
          terms,
          index,
          (document, count, positions) => isAlive(document) && writer.add(toNumber[document]!, positions, 0, count),
          isAlive,
        )
      cursor.index++
      cursor.term = termOf(cursor.segment, cursor.index)
    }
    if (steps % stepSize === 0) yield
  }
  const terms = writer.end()
  yield
  const sessions = Float64Array.from(pick(({ documents }) => documents.sessions))
  const orders = pick(({ documents }) => documents.orders)
  yield
  return {
    documents: {
      sessions,
      branches: pick(({ documents }) => documents.branches),
      orders,
      edits: pick(({ documents }) => documents.edits),
      at: Float64Array.from(pick(({ documents }) => documents.at)),
      roles: pick(({ documents }) => documents.roles),
      lengths: Uint32Array.from(pick(({ documents }) => documents.lengths)),
    },
    terms,
  }
}

const termOf = ({ terms }: Segment, index: number): string | undefined =>
  index < termCount(terms) ? termAt(terms, index) : undefined
