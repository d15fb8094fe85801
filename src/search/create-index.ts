import { type Breather, inBreaths } from '../pacing/breather.ts'
import type { StoredIndex } from './index-blocks.ts'
import { mergeSegments } from './merge-segments.ts'
import type { LiveSegment } from './rank-documents.ts'
import { buildSegment, type SearchDocument, type Segment } from './segment.ts'

/** How many segments of one size are joined. The sizes are powers of this number. */
const fanOut = 8
/** The most documents that a joined segment may have. */
const largest = 8192
/** A segment is rewritten when this share of its documents was removed. */
const deadShare = 0.25

/** A segment of the index in its current state. */
interface IndexSegment extends LiveSegment {
  /** Name of its block. */
  readonly id: number
  deadCount: number
  tokens: number
  /** Between the least and the greatest order, both inclusive, are those of all its documents. */
  readonly least: string
  readonly greatest: string
  /** Whether words of erased documents must be removed soon. */
  hasErased: boolean
}

/** The place of a document. */
interface DocumentPlace {
  readonly in: IndexSegment
  readonly document: number
}

/**
 * The index in memory. Segments never change. A few messages make a segment, and several of one size are joined, so
 * that a message is searchable immediately and is rewritten only rarely. Removed documents are marked.
 */
export interface Index {
  segments(): readonly IndexSegment[]
  /** Numbers of the sessions of all documents, also of removed ones whose words are still there. */
  sessions(): ReadonlySet<number>
  /** Adds messages in small steps. Nothing else may be added, removed or joined meanwhile. */
  add(documents: readonly SearchDocument[], breathe: Breather): Promise<void>
  /** The documents of a session by order; with `only`, just those of these orders. */
  find(session: number, only?: ReadonlySet<string>): ReadonlyMap<string, DocumentPlace>
  remove(place: DocumentPlace): void
  /** The removed documents of a session were erased for good, so that their words must be removed too. */
  scrub(session: number): void
  /** Joins segments where needed, in small steps. Nothing may be added or removed meanwhile. */
  tidy(breathe: Breather): Promise<void>
}

export function createIndex(stored?: StoredIndex): Index {
  let segments: IndexSegment[] = (stored?.segments ?? []).map(({ id, segment, dead }) =>
    indexSegment(id, segment, dead),
  )
  /** Local numbers of the sessions that have, or had, documents. */
  const sessionsIn = new Set(segments.flatMap(({ segment }) => [...segment.documents.sessions]))
  let lastId = segments.reduce((most, { id }) => Math.max(most, id), 0)

  function put(segment: Segment): void {
    const count = segment.documents.lengths.length
    if (count > 0) segments = [...segments, indexSegment(++lastId, segment, new Uint8Array(count))]
  }

  /** The segments to join next. */
  function untidy(): readonly IndexSegment[] | undefined {
    const worn = segments.find(({ dead, deadCount, hasErased }) => hasErased || deadCount > dead.length * deadShare)
    if (worn !== undefined) return [worn]
    const sizes = new Map<number, IndexSegment[]>()
    for (const one of segments) {
      const size = Math.floor(Math.log(liveCount(one)) / Math.log(fanOut) + 1e-9)
      const same = sizes.get(size)
      if (same === undefined) sizes.set(size, [one])
      else same.push(one)
    }
    for (const same of sizes.values()) {
      if (same.length < fanOut) continue
      const group: IndexSegment[] = []
      let count = 0
      for (const one of same) {
        if (group.length === fanOut || count + liveCount(one) > largest) continue
        group.push(one)
        count += liveCount(one)
      }
      if (group.length > 1) return group
    }
    return undefined
  }

  return {
    segments: () => segments,
    sessions: () => new Set(segments.flatMap(({ segment }) => [...new Set(segment.documents.sessions)])),
    add: async (documents, breathe) => {
      const segment = await inBreaths(buildSegment(documents), breathe)
      for (const { session } of documents) sessionsIn.add(session)
      put(segment)
    },
    find: (session, only) => {
      const found = new Map<string, DocumentPlace>()
      if (!sessionsIn.has(session)) return found
      const asked = only && [...only]
      for (const one of segments) {
        // What was just written lies behind all that was indexed before.
        if (asked?.every((order) => order < one.least || order > one.greatest)) continue
        const { sessions, orders } = one.segment.documents
        for (let document = 0; document < sessions.length; document++) {
          if (sessions[document] !== session || one.dead[document] === 1) continue
          const order = orders[document]!
          if (only === undefined || only.has(order)) found.set(order, { in: one, document })
        }
      }
      return found
    },
    remove: ({ in: one, document }) => {
      if (one.dead[document] === 1) return
      one.dead[document] = 1
      one.deadCount++
      one.tokens -= one.segment.documents.lengths[document]!
    },
    scrub: (session) => {
      for (const one of segments) {
        const { sessions } = one.segment.documents
        one.hasErased ||=
          one.deadCount > 0 && one.dead.some((isDead, document) => isDead === 1 && sessions[document] === session)
      }
    },
    tidy: async (breathe) => {
      for (let group = untidy(); group !== undefined; group = untidy()) {
        const sources = group
        const merged = await inBreaths(mergeSegments(sources), breathe)
        segments = segments.filter((one) => !sources.includes(one))
        put(merged)
      }
    },
  }
}

const liveCount = ({ dead, deadCount }: IndexSegment): number => Math.max(dead.length - deadCount, 1)

/** Counts once what every search needs to know of a segment. */
function indexSegment(id: number, segment: Segment, dead: Uint8Array): IndexSegment {
  const { lengths, orders } = segment.documents
  let deadCount = 0
  let tokens = 0
  let least = orders[0] ?? ''
  let greatest = least
  for (const [document, order] of orders.entries()) {
    if (dead[document] === 1) deadCount++
    else tokens += lengths[document]!
    if (order < least) least = order
    if (order > greatest) greatest = order
  }
  return { id, segment, dead, deadCount, tokens, least, greatest, hasErased: false }
}
