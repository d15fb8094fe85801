import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as Y from 'yjs'
import { checkUpdate } from '../../server/src/checks/check-update.js'
import { isNews } from '../../server/src/checks/is-news.js'
import { Refusal } from '../../server/src/refusal.js'

const root = (writer: number) => `w:${writer.toString(36)}`

function docOf(writer: number): Y.Doc {
  const doc = new Y.Doc()
  doc.clientID = writer
  return doc
}

function updateOf(change: (doc: Y.Doc) => void, writer = 7): Uint8Array {
  const doc = docOf(writer)
  change(doc)
  return Y.encodeStateAsUpdate(doc)
}

function reasonOf(kind: 'index' | 'session', update: Uint8Array): string {
  try {
    checkUpdate(kind, update)
    return 'accepted'
  } catch (error) {
    expect(error).toBeInstanceOf(Refusal)
    return (error as Refusal).name
  }
}

describe('the server accepts', () => {
  it('what a writer pushes to its own array, whole, in parts and from any point on', () => {
    const doc = docOf(2 ** 52 + 5)
    const updates: Uint8Array[] = []
    doc.on('update', (update: Uint8Array) => updates.push(update))
    for (let entry = 0; entry < 20; entry++)
      doc.getArray(root(doc.clientID)).push([['message', entry], new Uint8Array([entry])])
    const parts = updates.map((_, index) =>
      Y.encodeStateAsUpdate(doc, Y.encodeStateVectorFromUpdate(Y.mergeUpdates(updates.slice(0, index + 1)))),
    )
    for (const update of [...updates, ...parts, Y.mergeUpdates(updates)])
      expect(reasonOf('session', update)).toBe('accepted')
  })

  it('a purge, and the projection of a log whose purged entries are gone', () => {
    const purge = updateOf((doc) => {
      doc.getArray(root(7)).push([['a'], ['b'], ['c'], ['d']])
      doc.getArray(root(7)).delete(1, 2)
    })
    const placeholders = updateOf((doc) =>
      doc.transact(() => {
        doc.getArray(root(7)).push([null, null, null])
        doc.getArray(root(7)).delete(0, 3)
        doc.getArray(root(7)).push([['d']])
      }),
    )
    for (const update of [purge, placeholders]) expect(reasonOf('session', update)).toBe('accepted')
  })

  it('index entries of several devices that push and prune', () => {
    const docs = [docOf(1), docOf(2)]
    fc.assert(
      fc.property(
        fc.array(fc.record({ device: fc.nat(1), prune: fc.boolean(), exchange: fc.boolean() }), { maxLength: 30 }),
        (acts) => {
          for (const { device, prune, exchange } of acts) {
            const doc = docs[device]!
            const index = doc.getArray('index')
            doc.transact(() => {
              index.push([['sid', device]])
              if (prune && index.length > 1) index.delete(0)
            })
            expect(reasonOf('index', Y.encodeStateAsUpdate(doc))).toBe('accepted')
            if (exchange) Y.applyUpdate(docs[1 - device]!, Y.encodeStateAsUpdate(doc))
          }
        },
      ),
      { numRuns: 20 },
    )
  })
})

describe('the server refuses', () => {
  it.each<[string, (doc: Y.Doc) => void]>([
    ['another root', (doc) => doc.getArray('messages').push([1])],
    ['the array of another writer', (doc) => doc.getArray(root(8)).push([1])],
    ['the index in a session', (doc) => doc.getArray('index').push([1])],
    ['a map', (doc) => doc.getMap(root(7)).set('a', 1)],
    ['text', (doc) => doc.getText(root(7)).insert(0, 'a')],
    ['formatting', (doc) => doc.getText(root(7)).insert(0, 'a', { bold: true })],
    ['a type inside of the array', (doc) => doc.getArray(root(7)).push([new Y.Map()])],
    [
      'something put before what is there',
      (doc) => {
        doc.getArray(root(7)).push([1])
        doc.getArray(root(7)).insert(0, [2])
      },
    ],
    ['a subdocument', (doc) => doc.getArray(root(7)).push([new Y.Doc()])],
  ])('%s', (_, change) => expect(reasonOf('session', updateOf(change))).toBe('foreign-update'))

  it('what it accepts in a session, in the index', () => {
    expect(
      reasonOf(
        'index',
        updateOf((doc) => doc.getArray(root(7)).push([1])),
      ),
    ).toBe('foreign-update')
  })

  it('an entry behind one of another writer, which would land in that one’s array', () => {
    const doc = docOf(8)
    Y.applyUpdate(
      doc,
      updateOf((doc) => doc.getArray(root(7)).push([1])),
    )
    doc.getArray(root(7)).push([2])
    expect(reasonOf('session', Y.encodeStateAsUpdate(doc))).toBe('foreign-update')
  })

  it('an index entry behind one of its own that comes later, which Yjs can’t apply', () => {
    // One client with one struct: client 7, clock 0, a value behind (7, 5).
    expect(reasonOf('index', new Uint8Array([1, 1, 7, 0, 0x88, 7, 5, 1, 125, 1, 0]))).toBe('malformed-update')
  })

  it('structs without a place, which would make peers ignore what they lie over', () => {
    // One client with one struct: client 7, clock 0, GC, length 100; nothing deleted.
    expect(reasonOf('session', new Uint8Array([1, 1, 7, 0, 0, 100, 0]))).toBe('foreign-update')
  })

  it('a deletion of nothing, which Yjs can’t keep until what it names comes', () => {
    // No structs; of client 7 from clock 0 on, length 0.
    expect(reasonOf('session', new Uint8Array([0, 1, 7, 1, 0, 0]))).toBe('malformed-update')
  })

  it('what is no update, or one that is cut off or changed, without ever throwing anything else', () => {
    const good = updateOf((doc) => doc.getArray(root(7)).push([['message', { text: 'x'.repeat(50) }], ['b'], ['c']]))
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array({ maxLength: 80 }),
          fc.nat(good.length - 1).map((end) => good.slice(0, end)),
          fc.tuple(fc.nat(good.length - 1), fc.nat(255)).map(([at, byte]) => good.with(at, byte)),
        ),
        (update) => {
          for (const kind of ['session', 'index'] as const) {
            const reason = reasonOf(kind, update)
            expect(['accepted', 'malformed-update', 'foreign-update']).toContain(reason)
            // What is stored must be possible to load.
            if (reason === 'accepted') Y.applyUpdate(docOf(1), update)
          }
        },
      ),
      { numRuns: 2_000 },
    )
    expect(
      reasonOf(
        'session',
        new Uint8Array([1, 1, 7, 0, 8, 1, 3, 119, 58, 55, 1, ...new Uint8Array(200_000).fill(117), 0]),
      ),
    ).toBe('malformed-update')
  })
})

describe('what is accepted', () => {
  it('never changes an array but the writer’s own', () => {
    const victim = updateOf((doc) =>
      doc.getArray(root(7)).push([
        ['mine', 0],
        ['mine', 1],
      ]),
    )
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(60), fc.nat(255)), { maxLength: 6 }), (changes) => {
        const update = updateOf(
          (doc) =>
            doc.getArray(root(9)).push([
              ['theirs', 0],
              ['theirs', 1],
              ['theirs', 2],
            ]),
          9,
        )
        for (const [at, byte] of changes) if (at < update.length) update[at] = byte
        if (reasonOf('session', update) !== 'accepted' || Y.decodeUpdate(update).ds.clients.size > 0) return
        if (Y.decodeUpdate(update).structs.some(({ id }) => id.client === 7)) return
        const doc = new Y.Doc()
        Y.applyUpdate(doc, victim)
        Y.applyUpdate(doc, update)
        expect(doc.getArray(root(7)).toArray()).toEqual([
          ['mine', 0],
          ['mine', 1],
        ])
      }),
      { numRuns: 500 },
    )
  })
})

it('an update that says nothing new is known as such, deletes included', () => {
  const doc = docOf(7)
  doc.getArray(root(7)).push([1, 2, 3])
  const before = Y.encodeStateAsUpdate(doc)
  doc.getArray(root(7)).delete(0)
  const after = Y.encodeStateAsUpdate(doc)
  const server = new Y.Doc()
  const ask = (update: Uint8Array) => isNews(server, update, Y.decodeUpdate(update))
  expect(ask(before)).toBe(true)
  Y.applyUpdate(server, before)
  expect(ask(before)).toBe(false)
  expect(ask(after)).toBe(true)
  Y.applyUpdate(server, after)
  expect(ask(after)).toBe(false)
})
