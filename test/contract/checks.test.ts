import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Check } from '../../src/contract/check.ts'
import { checkEntry } from '../../src/contract/check-entry.ts'
import { checkMessage } from '../../src/contract/check-message.ts'
import { checkMetaPatch } from '../../src/contract/check-meta-patch.ts'
import { dataSchemas, entrySchema } from '../../src/contract/entry.ts'
import type { JsonValue } from '../../src/contract/json.ts'
import { messageSchema } from '../../src/contract/message.ts'
import { metaPatchSchema } from '../../src/contract/meta.ts'
import { scopeSchema } from '../../src/contract/scope.ts'
import { checkScope } from '../../src/contract/scope-check.ts'

type Path = readonly PropertyKey[]
/** Where something is wrong: a schema names several places, in an order of its own; a check names one. */
type Verdict = (value: JsonValue) => readonly Path[]
type Schema = {
  safeParse(value: unknown): { readonly error?: { readonly issues: readonly { readonly path: Path }[] } | undefined }
}

const bySchema =
  (schema: Schema): Verdict =>
  (value) =>
    schema.safeParse(value).error?.issues.map(({ path }) => path) ?? []
const byCheck =
  (check: Check): Verdict =>
  (value) => {
    const found = check(value)
    return found === undefined ? [] : [found.path]
  }

/** Both schemas of an entry: its outer shape, then its data. */
const entryBySchema: Verdict = (value) => {
  const outer = bySchema(entrySchema)(value)
  if (outer.length > 0) return outer
  const { type, data } = value as { type: string; data: JsonValue }
  if (!Object.hasOwn(dataSchemas, type)) return []
  return bySchema(dataSchemas[type as keyof typeof dataSchemas])(data).map((path) => ['data', ...path])
}

const scope = {
  version: 1,
  agent_id: 'a',
  channel: 'c',
  account: 'x',
  dimensions: ['one', 'two'],
  values: { one: '1', two: '2' },
}
const patch = {
  title: 'T',
  summary: 'S',
  memo: { a: 1 },
  custom: { b: [2] },
  archived: true,
  tags: ['t', 'u'],
  agentId: 'a',
  userId: 'u',
  id: 'i',
  scope,
  aliases: ['k', 'l'],
  ttl: 5,
}
const clock = { hp: 7, hc: 0 }
const vv = { a1: 3, b: 0 }
const data: Record<keyof typeof dataSchemas, JsonValue> = {
  message: { message: { role: 'user', content: 'hi' }, mid: 'm' },
  branch: { fork: { branch: '', order: 'o', id: 'i', vv, cuts: 'c' }, head: true, name: 'n' },
  head: { branch: 'b' },
  cut: { order: 'o', vv },
  compaction: { order: 'o', vv, summary: 's' },
  edit: { branch: '', order: 'o', value: { message: { role: 'user' } } },
  meta: { set: { title: 't' }, target: { branch: 'b', checkpoint: 'c', branches: ['b', 'd'], checkpoints: ['c'] } },
  checkpoint: { branch: '', order: 'o', vv, seen: { checksum: 'c', messages: 1, erased: 0 } },
  delete: { vv },
  undelete: {},
  purge: {
    ranges: {
      a: [
        [0, 1],
        [5, 9],
      ],
      b: [],
    },
  },
}
const entry = (type: string, of: JsonValue): JsonValue => ({
  w: 1,
  s: 2,
  branch: '',
  type,
  data: of,
  at: 1.5,
  clock,
  turn: { ...clock, w: 1, s: 0 },
  run: clock,
  order: 'o',
  crc: 9,
})

const subjects: readonly {
  readonly name: string
  readonly schema: Verdict
  readonly check: Verdict
  readonly sound: readonly JsonValue[]
}[] = [
  {
    name: 'message',
    schema: bySchema(messageSchema),
    check: byCheck(checkMessage),
    sound: [
      { role: 'user' },
      { role: 'r', content: null, id: 'x' },
      { role: 'r', content: 'text' },
      { role: 'r', content: ['a', { type: 'text', text: 'b' }, { type: 't' }] },
    ],
  },
  { name: 'scope', schema: bySchema(scopeSchema), check: byCheck(checkScope), sound: [scope] },
  {
    name: 'meta patch',
    schema: bySchema(metaPatchSchema),
    check: byCheck(checkMetaPatch),
    sound: [
      {},
      patch,
      Object.fromEntries(
        ['title', 'summary', 'memo', 'custom', 'tags', 'agentId', 'userId', 'scope', 'ttl'].map((field) => [
          field,
          null,
        ]),
      ),
    ],
  },
  {
    name: 'entry',
    schema: entryBySchema,
    check: byCheck(checkEntry),
    sound: [...Object.entries(data).map(([type, of]) => entry(type, of)), entry('custom', { any: 'thing' })],
  },
]

/** What is put into the place of something: often of the right type and wrong by a little. */
const anything: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.constantFrom<JsonValue>(
    null,
    '',
    'text',
    0,
    -1,
    1,
    1.5,
    2 ** 53,
    true,
    [],
    {},
    'x'.repeat(1024),
    'x'.repeat(1025),
    Array(64).fill('t'),
    Array(65).fill('t'),
    [0, 1],
    [0, 1, 2],
    [''],
  ),
  fc.jsonValue() as fc.Arbitrary<JsonValue>,
)

/**
 * What happens to a sound value: of the members met on a walk through it, this one is replaced, taken out, or given a
 * neighbour.
 */
const damage = fc.record({
  at: fc.nat(60),
  how: fc.constantFrom('replace', 'remove', 'add'),
  value: anything,
  key: fc.constantFrom('new', 'constructor', 'toString', 'title', 'vv'),
})

function spoil(
  sound: JsonValue,
  damages: readonly { readonly at: number; readonly how: string; readonly value: JsonValue; readonly key: string }[],
): JsonValue {
  const root = { value: structuredClone(sound) } as { value: JsonValue }
  for (const { at, how, value, key } of damages) {
    const places: [Record<string, JsonValue>, string][] = []
    const walk = (holder: object): void => {
      for (const member of Object.keys(holder)) {
        places.push([holder as Record<string, JsonValue>, member])
        const inner = (holder as Record<string, unknown>)[member]
        if (typeof inner === 'object' && inner !== null) walk(inner)
      }
    }
    walk(root)
    const [holder, member] = places[at % places.length]!
    if (how === 'replace' || holder === (root as unknown)) holder[member] = structuredClone(value)
    else if (how === 'add' && !Array.isArray(holder)) holder[key] = structuredClone(value)
    else if (Array.isArray(holder)) holder.splice(Number(member), 1)
    else delete holder[member]
  }
  return root.value
}

describe.each(subjects)('the check of a $name', ({ schema, check, sound }) => {
  it('takes what is sound, as its schema does', () => {
    for (const value of sound) expect([check(value), schema(value)]).toEqual([[], []])
  })

  it('takes and refuses what its schema does, for the same place', () => {
    let refused = 0
    fc.assert(
      fc.property(fc.constantFrom(...sound), fc.array(damage, { minLength: 1, maxLength: 3 }), (value, damages) => {
        const spoilt = spoil(value, damages)
        const asked = schema(spoilt)
        const found = check(spoilt)
        if (asked.length > 0) refused++
        expect(found).toHaveLength(Math.min(1, asked.length))
        for (const path of found) expect(asked).toContainEqual(path)
      }),
      { numRuns: 3000 },
    )
    // Not all alike, or nothing was compared.
    expect(refused).toBeGreaterThan(300)
    expect(refused).toBeLessThan(2990)
  })
})
