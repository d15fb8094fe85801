import * as encoding from 'lib0/encoding'
import * as Y from 'yjs'
import type { Clocks } from './clocks.ts'

/** A part of a document, small enough for one message. */
export interface UpdatePiece {
  readonly update: Uint8Array
  /** How far a side that was at `from` is with this piece. */
  readonly reached: Clocks
  /** Whether nothing is left after it. */
  readonly isLast: boolean
}

/**
 * Servers accept messages of up to a megabyte, and nothing else travels while one is on its way. With messages of 1 kB,
 * a piece is what the other side stores in one transaction; a slightly longer one takes two.
 */
export const pieceSize = 448 * 1024

/**
 * The next part of what a document holds beyond `from`, of about `limit` bytes and at least one element. Yjs itself
 * only makes one update of everything that is missing, which may have a hundred megabytes. Each piece follows those
 * before and depends on nothing else, because the server refuses updates that wait for later ones. Deletions of what
 * `from` already includes are not in it.
 *
 * @param until - where to stop, for the clients that it names; the others are left out
 */
export function nextPiece(doc: Y.Doc, from: Clocks, limit = pieceSize, until?: Clocks): UpdatePiece | undefined {
  const reached = new Map(from)
  const sections = new Map<number, Section>()
  let size = 0
  let isLast = true
  const nextOf = (client: number): number => reached.get(client) ?? 0
  const endOf = (client: number): number =>
    Math.min(Y.getState(doc.store, client), until === undefined ? Infinity : (until.get(client) ?? 0))

  /**
   * Writes what comes next of a client, unless something else must come first. Returns the client of that, or whether
   * this one is `done` or `full`.
   */
  const writeNext = (client: number): number | 'written' | 'done' | 'full' => {
    const clock = nextOf(client)
    const end = endOf(client)
    if (clock >= end) return 'done'
    const structs = doc.store.clients.get(client)!
    const section = sections.get(client) ?? {
      start: clock,
      count: 0,
      at: Y.findIndexSS(structs, clock),
      body: new Y.UpdateEncoderV1(),
    }
    const struct = structs[section.at]!
    const before = struct instanceof Y.Item && clock === struct.id.clock ? [struct.origin, struct.rightOrigin] : []
    for (const one of before)
      if (one !== null && one.clock >= nextOf(one.client) && one.clock < endOf(one.client)) return one.client
    const written = encoding.length(section.body.restEncoder)
    const taken = writePart(section.body, struct, clock, end, limit - size, size === 0)
    if (taken === 0) return 'full'
    size += encoding.length(section.body.restEncoder) - written
    section.count += 1
    section.at += 1
    sections.set(client, section)
    reached.set(client, clock + taken)
    if (clock + taken < Math.min(end, struct.id.clock + struct.length)) return 'full'
    return 'written'
  }

  for (const client of [...doc.store.clients.keys()].sort((a, b) => b - a)) {
    // The client on top of the stack is written first.
    const stack = [client]
    while (isLast && stack.length > 0) {
      const next = writeNext(stack.at(-1)!)
      if (typeof next === 'number') stack.push(next)
      else if (next === 'done' || (next === 'written' && stack.length > 1)) stack.pop()
      else if (next === 'full') isLast = false
    }
  }
  return sections.size === 0 ? undefined : { update: joinSections(sections), reached, isLast }
}

/** One update of the sections of all clients, in the order that Yjs uses. */
function joinSections(sections: ReadonlyMap<number, Section>): Uint8Array {
  const whole = encoding.createEncoder()
  encoding.writeVarUint(whole, sections.size)
  for (const [client, { count, start, body }] of [...sections].sort((a, b) => b[0] - a[0])) {
    for (const number of [count, client, start]) encoding.writeVarUint(whole, number)
    encoding.writeUint8Array(whole, encoding.toUint8Array(body.restEncoder))
  }
  // No deletions.
  encoding.writeVarUint(whole, 0)
  return encoding.toUint8Array(whole)
}

/** The part of a piece that belongs to one client. */
interface Section {
  readonly start: number
  count: number
  /** The struct that comes next. */
  at: number
  readonly body: Y.UpdateEncoderV1
}

/** Writes the part of a struct that lies between two clocks and fits. Returns how much that was. */
function writePart(
  encoder: Y.UpdateEncoderV1,
  struct: Y.Item | Y.GC,
  from: number,
  end: number,
  budget: number,
  isFirst: boolean,
): number {
  if (budget <= 0 && !isFirst) return 0
  const offset = from - struct.id.clock
  const length = Math.min(end - from, struct.length - offset)
  if (struct instanceof Y.GC) {
    new Y.GC(Y.createID(struct.id.client, from), length).write(encoder, 0)
    return length
  }
  if (struct.content instanceof Y.ContentDeleted) {
    partOf(struct, offset, new Y.ContentDeleted(length)).write(encoder, 0)
    return length
  }
  if (!(struct.content instanceof Y.ContentAny)) {
    if (struct.content instanceof Y.ContentBinary && struct.content.content.length > budget && !isFirst) return 0
    struct.write(encoder, offset)
    return struct.length - offset
  }
  const elements = encoding.createEncoder()
  let count = 0
  let size = 0
  for (; count < length; count++) {
    encoding.writeAny(elements, struct.content.arr[offset + count])
    if (encoding.length(elements) > budget && (count > 0 || !isFirst)) break
    size = encoding.length(elements)
  }
  if (count === 0) return 0
  const bytes = encoding.toUint8Array(elements).subarray(0, size)
  partOf(struct, offset, new WrittenContent(count, bytes)).write(encoder, 0)
  return count
}

/** An item as if the rest of it had been split off. */
function partOf(item: Y.Item, offset: number, content: Y.ContentAny | Y.ContentDeleted): Y.Item {
  const { client, clock } = item.id
  const origin = offset > 0 ? Y.createID(client, clock + offset - 1) : item.origin
  return new Y.Item(
    Y.createID(client, clock + offset),
    null,
    origin,
    null,
    item.rightOrigin,
    item.parent,
    item.parentSub,
    content,
  )
}

/** Elements that are encoded already, because they had to be measured. */
class WrittenContent extends Y.ContentAny {
  readonly #count: number
  readonly #bytes: Uint8Array

  constructor(count: number, bytes: Uint8Array) {
    super([])
    this.#count = count
    this.#bytes = bytes
  }

  override write(encoder: Y.UpdateEncoderV1): void {
    encoder.writeLen(this.#count)
    encoding.writeUint8Array(encoder.restEncoder, this.#bytes)
  }
}
