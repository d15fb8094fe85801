import { describe, expect, it } from 'vitest'
import * as Y from 'yjs'
import { nextPiece, type UpdatePiece } from '../../src/sync/transports/update-piece.ts'

function piecesOf(doc: Y.Doc, limit: number, from: ReadonlyMap<number, number> = new Map()): UpdatePiece[] {
  const pieces: UpdatePiece[] = []
  for (let reached = from; ; reached = pieces.at(-1)!.reached) {
    const piece = nextPiece(doc, reached, limit)
    if (piece === undefined) return pieces
    pieces.push(piece)
  }
}

function push(doc: Y.Doc, client: number, ...elements: unknown[]): void {
  doc.clientID = client
  doc.getArray(`w:${client.toString(36)}`).push(elements)
}

function filled(): Y.Doc {
  const doc = new Y.Doc()
  for (let i = 0; i < 200; i++)
    push(
      doc,
      [7, 8, 9_000_000_000_001][i % 3]!,
      [i, 'x'.repeat(i)],
      { a: [i, null, new Uint8Array([i])] },
      new Uint8Array(i),
    )
  doc.clientID = 8
  doc.getArray('w:8').delete(10, 30)
  doc.getArray('w:8').delete(60, 1)
  return doc
}

describe('pieces of a document', () => {
  it.each([1, 100, 1_000, 1_000_000])('are all of it together, at %i bytes each', (limit) => {
    const [doc, other] = [filled(), new Y.Doc()]
    for (const { update } of piecesOf(doc, limit)) {
      Y.applyUpdate(other, update)
      // Each stands on those before it.
      expect(other.store.pendingStructs).toBeNull()
    }
    expect(Y.encodeStateAsUpdate(other)).toEqual(Y.encodeStateAsUpdate(doc))
  })

  it('are one, and what Yjs makes, where they fit', () => {
    const doc = new Y.Doc()
    push(doc, 5, [1], [2])
    push(doc, 6, ['x'])
    expect(piecesOf(doc, 1_000).map(({ update }) => update)).toEqual([Y.encodeStateAsUpdate(doc)])
    expect(piecesOf(doc, 1_000, new Map([[5, 1]])).map(({ update }) => update)).toEqual([
      Y.encodeStateAsUpdate(doc, Y.encodeStateVector(new Map([[5, 1]]))),
    ])
  })

  it('are no longer than asked for, but for an element that is', () => {
    const doc = new Y.Doc()
    push(doc, 5, ...Array.from({ length: 300 }, () => ['y'.repeat(500)]), ['z'.repeat(50_000)], ['end'])
    const sizes = piecesOf(doc, 10_000).map(({ update }) => update.length)
    expect(sizes.filter((size) => size > 10_100)).toHaveLength(1)
    expect(sizes.length).toBeLessThan(20)
    expect(piecesOf(doc, 10_000).map(({ isLast }) => isLast)).toEqual([...sizes.slice(1).map(() => false), true])
  })

  it('are no longer than asked for where elements are bytes', () => {
    const doc = new Y.Doc()
    push(doc, 5, ...Array.from({ length: 30 }, () => new Uint8Array(3000)), new Uint8Array(50_000))
    expect(
      piecesOf(doc, 10_000)
        .map(({ update }) => update.length)
        .filter((size) => size > 10_100),
    ).toHaveLength(1)
  })

  it('end where they are told to', () => {
    const [doc, other] = [filled(), new Y.Doc()]
    Y.applyUpdate(
      other,
      nextPiece(
        doc,
        new Map(),
        1_000_000,
        new Map([
          [7, 5],
          [8, 25],
        ]),
      )!.update,
    )
    expect(Y.decodeStateVector(Y.encodeStateVector(other))).toEqual(
      new Map([
        [7, 5],
        [8, 25],
      ]),
    )
  })

  it('hold what others put before and between, too', () => {
    const doc = new Y.Doc()
    for (let i = 0; i < 60; i++) {
      doc.clientID = 1 + (i % 3)
      doc.getArray('list').insert((i * 7) % (i + 1), [i])
    }
    const other = new Y.Doc()
    for (const { update } of piecesOf(doc, 64)) {
      Y.applyUpdate(other, update)
      expect(other.store.pendingStructs).toBeNull()
    }
    expect(other.getArray('list').toArray()).toEqual(doc.getArray('list').toArray())
  })
})
