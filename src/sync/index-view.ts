import type { Array as YArray } from 'yjs'
import type { Clock } from '../contract/entry.ts'
import { clockStart, laterClock, tick } from '../domain/clock.ts'
import { KeyMissing } from './encryption/key-missing.ts'
import type { IndexCodec, KeyMarks } from './index-codec.ts'
import { createIndexDecoder } from './index-decoder.ts'
import type { IndexEntry } from './index-entry.ts'
import { sameContent } from './same-content.ts'
import { summarizeIndex } from './summarize-index.ts'

/** What the elements of the list say together. */
export interface IndexView {
  entries(): ReadonlyMap<string, IndexEntry>
  marks(): KeyMarks
  /** Finds out what counts. @returns whether that has changed */
  review(): Promise<boolean>
  /** Positions of the elements that no longer count, from the end, so that no deletion moves the next one. */
  takeObsolete(): readonly number[]
  /** Positions of the values under these ids, from the end. */
  positionsOf(ids: ReadonlySet<string>): Promise<readonly number[]>
  /** The next clock, later than that of every element here. */
  nextClock(now: number): Clock
}

const noMarks: KeyMarks = { records: [], sealed: 0, plain: 0 }

export function createIndexView(list: YArray<unknown>, codec: IndexCodec): IndexView {
  const decoder = createIndexDecoder(codec)
  let latest: ReadonlyMap<string, IndexEntry> = new Map()
  let marks = noMarks
  let obsolete: readonly number[] = []
  let clock: Clock = clockStart
  return {
    entries: () => latest,
    marks: () => marks,
    review: async () => {
      const elements = list.toArray()
      await decoder.decode(elements)
      const summary = summarizeIndex(elements, decoder.read)
      const [before, beforeMarks] = [latest, marks]
      latest = summary.entries
      obsolete = summary.obsolete
      clock = laterClock(clock, summary.clock)
      if (!sameContent(beforeMarks, summary.marks)) marks = summary.marks
      if (marks !== beforeMarks || before.size !== latest.size) return true
      return [...latest].some(([id, entry]) => before.get(id) !== entry && !sameContent(before.get(id), entry))
    },
    takeObsolete: () => {
      const taken = [...obsolete].sort((a, b) => b - a)
      obsolete = []
      return taken
    },
    positionsOf: async (ids) => {
      await decoder.decode(list.toArray())
      const found = list.toArray().flatMap((element, at) => {
        const read = decoder.read(element)
        return read === undefined || read instanceof KeyMissing || !ids.has(read.id) ? [] : [at]
      })
      return found.reverse()
    },
    nextClock: (now) => (clock = tick(clock, now)),
  }
}
