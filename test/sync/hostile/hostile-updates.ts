import * as encoding from 'lib0/encoding'
import * as Y from 'yjs'
import type { Entry } from '../../../src/contract/entry.ts'
import type { JsonObject } from '../../../src/contract/json.ts'
import { writerKey } from '../../../src/domain/address.ts'
import { clockStart, tick } from '../../../src/domain/clock.ts'
import { sealEntry } from '../../../src/domain/seal.ts'
import { rootName } from '../../../src/sync/projection.ts'
import { toWireEntry } from '../../../src/sync/wire-entry.ts'
import type { Random } from '../simulation/random.ts'

/** What an attacker has to work with: updates that were really sent, and who wrote them. */
export interface Loot {
  readonly updates: readonly Uint8Array[]
  readonly writers: readonly { readonly w: number; readonly next: number }[]
}

/** One update that somebody might send who means harm, or a disk that lies. */
export function hostileUpdate(random: Random, loot: Loot): Uint8Array {
  return kinds[random.weighted(weights)](random, loot)
}

type Kind = (random: Random, loot: Loot) => Uint8Array

const encode = (write: (encoder: encoding.Encoder) => void): Uint8Array => encoding.encode((encoder) => write(encoder))

/** Structs of one client, and no deletions. */
const structs = (
  client: number,
  clock: number,
  count: number,
  write: (encoder: encoding.Encoder) => void,
): Uint8Array =>
  encode((encoder) => {
    for (const n of [1, count, client, clock]) encoding.writeVarUint(encoder, n)
    write(encoder)
    encoding.writeVarUint(encoder, 0)
  })

const ofDoc = (change: (doc: Y.Doc) => void, client: number): Uint8Array => {
  const doc = new Y.Doc()
  doc.clientID = client
  change(doc)
  const update = Y.encodeStateAsUpdate(doc)
  doc.destroy()
  return update
}

/** A stranger's sound entry, and what is pushed for it. */
const entryOf = (random: Random, type: string, data: JsonObject): Entry =>
  sealEntry({
    w: strangerOf(random),
    s: 0,
    branch: '',
    type,
    data,
    at: 1_700_000_000_000,
    clock: tick(clockStart, 1_700_000_000_000 + random.below(1000)),
  })
const strangerOf = (random: Random): number => 1 + random.below(2 ** 31)
const pushed = (entry: Entry, change: (element: unknown[]) => void = () => undefined): Uint8Array => {
  const element = [...toWireEntry(entry)]
  change(element)
  return ofDoc((doc) => doc.getArray(rootName(entry.w)).push([element]), entry.w)
}
/** A head with one character changed, left out or put in. */
const strangeHead = (random: Random, head: string): string => {
  const at = random.below(head.length + 1)
  return (
    head.slice(0, at) +
    random.pick(['', '\0', '\u007f', '\u0080', String.fromCharCode(random.below(128))]) +
    head.slice(at + random.below(2))
  )
}

const hugeCounts = [2 ** 31, 2 ** 32, 2 ** 52, 2 ** 53 - 1]

/** `[[[…` in lib0's encoding of any value, so deep that whoever follows it runs out of stack. */
const nested = (depth: number, client: number): Uint8Array =>
  structs(client, 0, 1, (encoder) => {
    encoding.writeUint8(encoder, 8)
    encoding.writeVarUint(encoder, 1)
    encoding.writeVarString(encoder, rootName(client))
    encoding.writeVarUint(encoder, 1)
    for (let i = 0; i < depth; i++) {
      encoding.writeUint8(encoder, 117)
      encoding.writeVarUint(encoder, 1)
    }
    encoding.writeAny(encoder, null)
  })

const kinds = {
  flipped: (random, { updates }) => {
    const bytes = Uint8Array.from(random.pick(updates))
    for (let n = 1 + random.below(8); n > 0; n--) bytes[random.below(bytes.length)]! ^= 1 << random.below(8)
    return bytes
  },
  spliced: (random, { updates }) => {
    const [a, b] = [random.pick(updates), random.pick(updates)]
    const from = random.below(b.length)
    return Uint8Array.from([
      ...a.subarray(0, random.below(a.length)),
      ...b.subarray(from, from + random.below(200)),
      ...a.subarray(random.below(a.length)),
    ])
  },
  truncated: (random, { updates }) => {
    const update = random.pick(updates)
    return update.slice(0, random.below(update.length))
  },
  random: (random) => {
    const bytes = new Uint8Array(random.below(300))
    random.fill(bytes)
    return bytes
  },
  otherStructs: (random, { writers }) => {
    const { w } = random.pick(writers)
    const root = rootName(w)
    return ofDoc(
      random.pick<(doc: Y.Doc) => void>([
        (doc) => doc.getMap(root).set('a', 1),
        (doc) => doc.getText(root).insert(0, 'text'),
        (doc) => doc.getArray(root).push([new Y.Map([['a', 1]])]),
        (doc) => doc.getArray(root).push([new Uint8Array([1, 2, 3])]),
        (doc) => doc.getText(root).insertEmbed(0, { a: 1 }),
        (doc) => doc.getText(root).format(0, 0, { bold: true }),
        (doc) => doc.getXmlFragment(root).insert(0, [new Y.XmlElement('p')]),
        (doc) => doc.getMap(root).set('sub', new Y.Doc()),
        (doc) => (doc.getArray(root).push([[1]]), doc.getArray(root).insert(0, [[2]])),
      ]),
      w,
    )
  },
  collectedRange: (random, { writers }) => {
    const { w, next } = random.pick(writers)
    return structs(w, random.pick([0, next]), 1, (encoder) => {
      encoding.writeUint8(encoder, random.pick([0, 10]))
      encoding.writeVarUint(encoder, random.pick([1, next + 1, ...hugeCounts]))
    })
  },
  hugeNumbers: (random, { writers }) =>
    structs(
      random.pick([random.pick(writers).w, ...hugeCounts]),
      random.pick([0, ...hugeCounts]),
      random.pick([1, ...hugeCounts]),
      (encoder) => {
        encoding.writeUint8(encoder, random.pick([0, 1, 8, 10]))
        for (const n of [random.pick(hugeCounts), random.pick(hugeCounts)]) encoding.writeVarUint(encoder, n)
      },
    ),
  manyHoles: (random, { writers }) =>
    structs(random.pick(writers).w, random.pick(writers).next, 20_000, (encoder) => {
      for (let i = 0; i < 20_000; i++) {
        encoding.writeUint8(encoder, i % 2 === 0 ? 0 : 10)
        encoding.writeVarUint(encoder, 1 + (i % 3))
      }
    }),
  deletesOfAll: (random, { writers }) =>
    encode((encoder) => {
      for (const n of [0, writers.length]) encoding.writeVarUint(encoder, n)
      for (const { w, next } of writers)
        for (const n of [w, 1, 0, random.pick([next, 2 ** 40])]) encoding.writeVarUint(encoder, n)
    }),
  forgedNext: (random, { writers }) => {
    const { w, next } = random.pick(writers)
    // The right place, and nothing that anybody sealed.
    return structs(w, next, 1, (encoder) => {
      encoding.writeUint8(encoder, 0x80 | 8)
      encoding.writeVarUint(encoder, w)
      encoding.writeVarUint(encoder, next - 1)
      encoding.writeVarUint(encoder, 1)
      const forged = {
        ...entryOf(random, 'message', { message: { role: 'user', content: 'forged' } }),
        crc: random.below(2 ** 31),
      }
      encoding.writeAny(encoder, [...toWireEntry(forged)] as never)
    })
  },
  strangeHeads: (random) =>
    pushed(
      entryOf(random, 'message', { message: { role: 'user', content: 'hello' } }),
      (element) => (element[0] = strangeHead(random, element[0] as string)),
    ),
  strangeElements: (random) => {
    const entry = entryOf(random, 'message', { message: { role: 'user', content: 'hello' } })
    return pushed(
      entry,
      (element) =>
        (element[random.below(element.length)] = random.pick<unknown>([
          null,
          -1,
          1.5,
          2 ** 53,
          '',
          'purge',
          [],
          {},
          [1, 2, 3],
          new Date(0),
          10n,
          Number.NaN,
          undefined,
          { __proto__: null, a: 1 },
        ])),
    )
  },
  prototypes: (random) => {
    const entry = entryOf(random, 'meta', { set: {} })
    const poison = JSON.parse('{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}') as JsonObject
    return pushed(
      entry,
      (element) =>
        (element[1] = random.pick([
          poison,
          { set: poison },
          { set: { title: poison } },
          { set: {}, target: { branch: '__proto__' } },
          { set: { title: '\ud83d' } },
        ])),
    )
  },
  soundButWrong: (random) =>
    pushed(
      random.pick([
        () => entryOf(random, 'edit', { branch: '', order: '__proto__', value: null }),
        () => entryOf(random, 'branch', { fork: { branch: '__proto__', order: '' }, head: true }),
        () => entryOf(random, 'branch', { fork: { branch: `${writerKey(5)}.0`, order: 'x' }, head: true }),
        () => entryOf(random, 'purge', { ranges: { ['__proto__']: [[0, 5]] } }),
        () => entryOf(random, 'meta', { set: { aliases: 'no list', tags: [1], title: 5 } }),
        () => entryOf(random, 'checkpoint', { branch: '', order: '~', vv: { a: 2 ** 53 - 1 } }),
        () => entryOf(random, 'of my own', { deep: { deeper: [] } }),
      ])(),
    ),
  purgesOfTheFuture: (random, { writers }) => {
    const own = random.pick(writers)
    const ranges = Object.fromEntries([
      [writerKey(own.w), [[own.next + random.below(3), 2 ** 50]]],
      ...Array.from({ length: random.below(5) }, () => [
        writerKey(strangerOf(random)),
        [[random.below(10), random.pick([2 ** 20, 2 ** 50])]],
      ]),
    ])
    return pushed(entryOf(random, 'purge', { ranges: ranges as unknown as JsonObject }))
  },
  nested: (random) => nested(random.pick([50, 3000, 200_000]), strangerOf(random)),
} satisfies Record<string, Kind>

const weights: Readonly<Record<keyof typeof kinds, number>> = {
  flipped: 300,
  spliced: 200,
  truncated: 80,
  random: 100,
  otherStructs: 60,
  collectedRange: 40,
  hugeNumbers: 60,
  manyHoles: 1,
  deletesOfAll: 30,
  forgedNext: 30,
  strangeHeads: 40,
  strangeElements: 60,
  prototypes: 40,
  soundButWrong: 40,
  purgesOfTheFuture: 4,
  nested: 2,
}
