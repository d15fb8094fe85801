import { expect, it } from 'vitest'
import * as Y from 'yjs'
import { vectorWith } from '../../src/sync/transports/vector-with.ts'

/** What a writer pushed, one update for each. */
function pushed(client: number, count: number): Uint8Array[] {
  const doc = new Y.Doc()
  doc.clientID = client
  const updates: Uint8Array[] = []
  doc.on('update', (update: Uint8Array) => void updates.push(update))
  for (let n = 0; n < count; n++) doc.getArray(`w:${client.toString(36)}`).push([n])
  return updates
}

const clocks = (vector: Uint8Array): readonly (readonly [number, number])[] =>
  [...Y.decodeStateVector(vector)].sort(([a], [b]) => a - b)

it('counts what is on its way into a document, but nothing behind a gap', () => {
  const [one, two, , four] = pushed(7, 4)
  const other = pushed(9, 2)
  const doc = new Y.Doc()
  Y.applyUpdate(doc, one!)
  expect(clocks(vectorWith(doc, [two!, four!, other[1]!]))).toEqual([[7, 2]])
  expect(clocks(vectorWith(doc, [two!, ...other, Uint8Array.of(255)]))).toEqual([
    [7, 2],
    [9, 2],
  ])
  expect(vectorWith(doc, [])).toEqual(Y.encodeStateVector(doc))
})
