import fc from 'fast-check'
import * as encoding from 'lib0/encoding'
import { describe, expect, it } from 'vitest'
import * as Y from 'yjs'
import { checkGaps } from '../../server/src/checks/check-gaps.js'
import { Refusal } from '../../server/src/refusal.js'

function reasonOf(document: Y.Doc, update: Uint8Array): string {
  try {
    checkGaps(document, update)
    return 'accepted'
  } catch (error) {
    expect(error).toBeInstanceOf(Refusal)
    return (error as Refusal).name
  }
}

/** Of each writer the first value, which stands behind one of another writer, or begins its array. */
function update(items: readonly (readonly [client: number, origin: number | undefined])[]): Uint8Array {
  const encoder = encoding.createEncoder()
  encoding.writeVarUint(encoder, items.length)
  for (const [client, origin] of items) {
    for (const number of [1, client, 0]) encoding.writeVarUint(encoder, number)
    encoding.writeUint8(encoder, origin === undefined ? 0x08 : 0x88)
    if (origin === undefined) {
      encoding.writeVarUint(encoder, 1)
      encoding.writeVarString(encoder, 'index')
    } else for (const number of [origin, 0]) encoding.writeVarUint(encoder, number)
    encoding.writeVarUint(encoder, 1)
    encoding.writeAny(encoder, 'x')
  }
  encoding.writeVarUint(encoder, 0)
  return encoding.toUint8Array(encoder)
}

describe('the server refuses', () => {
  it('what follows on something of the same writer that is missing', () => {
    const doc = new Y.Doc()
    const updates: Uint8Array[] = []
    doc.on('update', (one: Uint8Array) => updates.push(one))
    for (let entry = 0; entry < 3; entry++) doc.getArray('index').push([entry])
    const server = new Y.Doc()
    expect(reasonOf(server, updates[1]!)).toBe('update-with-gaps')
    Y.applyUpdate(server, updates[0]!)
    expect(reasonOf(server, updates[1]!)).toBe('accepted')
    expect(reasonOf(server, updates[2]!)).toBe('update-with-gaps')
  })

  it('what stands behind something of another that is missing, or each behind the other', () => {
    expect(reasonOf(new Y.Doc(), update([[2, 1]]))).toBe('update-with-gaps')
    expect(
      reasonOf(
        new Y.Doc(),
        update([
          [2, 1],
          [1, 2],
        ]),
      ),
    ).toBe('update-with-gaps')
    expect(
      reasonOf(
        new Y.Doc(),
        update([
          [3, 2],
          [2, 1],
          [1, undefined],
        ]),
      ),
    ).toBe('accepted')
  })

  it('deletions of what is missing', () => {
    const doc = new Y.Doc()
    doc.getArray('index').push([1, 2])
    const before = Y.encodeStateAsUpdate(doc)
    const vector = Y.encodeStateVector(doc)
    doc.getArray('index').delete(0, 2)
    const server = new Y.Doc()
    expect(reasonOf(server, Y.encodeStateAsUpdate(doc, vector))).toBe('update-with-gaps')
    Y.applyUpdate(server, before)
    expect(reasonOf(server, Y.encodeStateAsUpdate(doc, vector))).toBe('accepted')
  })

  it('more writers than there are starts of an app', () => {
    const many = update(Array.from({ length: 50_001 }, (_, client) => [client + 1, undefined]))
    expect(reasonOf(new Y.Doc(), many)).toBe('document-too-big')
  })

  it('fifty thousand that wait for each other, or for one, in about ten times as long as five thousand', () => {
    const refuse = (count: number): number => {
      const chain = Array.from({ length: count }, (_, at) => [at + 1, at + 2] as const)
      const star = Array.from({ length: count - 1 }, (_, at) => [at + 2, 1] as const)
      const start = performance.now()
      expect(reasonOf(new Y.Doc(), update(chain))).toBe('update-with-gaps')
      expect(reasonOf(new Y.Doc(), update([...star, [1, 2]]))).toBe('update-with-gaps')
      return performance.now() - start
    }
    const least = (count: number): number => Math.min(refuse(count), refuse(count), refuse(count))
    refuse(5_000)
    // Looking at each pair would take a hundred times as long. What a busy machine takes away, it takes from both.
    expect(least(50_000) / least(5_000)).toBeLessThan(50)
  })
})

it('what is accepted leaves nothing waiting, and what leaves nothing waiting is accepted', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ device: fc.nat(3), with: fc.nat(3), prune: fc.boolean() }), { maxLength: 40 }),
      fc.nat(40),
      fc.nat(40),
      (acts, from, had) => {
        const docs = [1, 2, 3, 4].map((client) => Object.assign(new Y.Doc(), { clientID: client }))
        const all: Uint8Array[] = []
        for (const { device, with: other, prune } of acts) {
          const doc = docs[device]!
          const vector = Y.encodeStateVector(doc)
          doc.transact(() => {
            doc.getArray('index').push([device])
            if (prune) doc.getArray('index').delete(0)
          })
          all.push(Y.encodeStateAsUpdate(doc, vector))
          Y.applyUpdate(docs[other]!, Y.encodeStateAsUpdate(doc))
        }
        const server = new Y.Doc()
        for (const one of all.slice(0, had)) if (reasonOf(server, one) === 'accepted') Y.applyUpdate(server, one)
        const some = Y.mergeUpdates([new Uint8Array([0, 0]), ...all.slice(from)])
        const reason = reasonOf(server, some)
        Y.applyUpdate(server, some)
        expect(reason === 'accepted').toBe(server.store.pendingStructs === null && server.store.pendingDs === null)
      },
    ),
    { numRuns: 300 },
  )
})
