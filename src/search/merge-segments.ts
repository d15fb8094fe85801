import { createPostingsWriter, readPostings } from './postings.ts'
import type { LiveSegment } from './rank-documents.ts'
import { type Segment, termAt, termCount } from './segment.ts'

/** Terms that are joined in one step: a few milliseconds. */
const stepSize = 256

/** Makes one segment of several, without the documents that are no more. In steps, so that others can work in between. */
export function* mergeSegments(sources: readonly LiveSegment[]): Generator<void, Segment, undefined> {
  let count = 0
  // What number each document gets; -1 for the dead.
  const numbers = sources.map(({ dead }) => Int32Array.from(dead, (isDead) => (isDead === 1 ? -1 : count++)))
  const pick = <T>(list: (segment: Segment) => ArrayLike<T>): T[] =>
    sources.flatMap(({ segment, dead }) => Array.from(list(segment)).filter((_, document) => dead[document] === 0))

  const writer = createPostingsWriter()
  const cursors = sources.map(({ segment }, i) => ({ segment, toNumber: numbers[i]!, index: 0, term: termCount(segment) === 0 ? undefined : termAt(segment, 0) }))
  for (let steps = 1; ; steps++) {
    let term: string | undefined
    for (const cursor of cursors) if (cursor.term !== undefined && (term === undefined || cursor.term < term)) term = cursor.term
    if (term === undefined) break
    const places: number[] = []
    for (const cursor of cursors) {
      if (cursor.term !== term) continue
      const { segment, toNumber } = cursor
      readPostings(segment.terms, cursor.index, (document, _count, positions) => {
        const number = toNumber[document]!
        if (number >= 0) for (const position of positions) places.push(number, position)
      }, (document) => toNumber[document]! >= 0)
      cursor.index++
      cursor.term = cursor.index < termCount(segment) ? termAt(segment, cursor.index) : undefined
    }
    if (places.length > 0) writer.add(term, places)
    if (steps % stepSize === 0) yield
  }
  return {
    documents: {
      sessions: Float64Array.from(pick(({ documents }) => documents.sessions)),
      branches: pick(({ documents }) => documents.branches),
      orders: pick(({ documents }) => documents.orders),
      edits: pick(({ documents }) => documents.edits),
      at: Float64Array.from(pick(({ documents }) => documents.at)),
      roles: pick(({ documents }) => documents.roles),
      lengths: Uint32Array.from(pick(({ documents }) => documents.lengths)),
    },
    terms: writer.end(),
  }
}
