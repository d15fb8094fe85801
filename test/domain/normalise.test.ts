import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SessionError } from '../../src/contract/errors.ts'
import { type NormaliseOptions, normaliseJson } from '../../src/domain/normalise.ts'

/** What a value is refused with, as `name: message`. */
function refusal(value: unknown, options?: NormaliseOptions): string {
  try {
    normaliseJson(value, options)
    return 'taken'
  } catch (error) {
    if (error instanceof SessionError) return `${error.name}: ${error.message}`
    throw error
  }
}

const copyOf = (value: unknown): unknown => normaliseJson(value).value
const jsonBytes = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length

function nested(levels: number): unknown {
  let value: unknown = 1
  for (let i = 0; i < levels; i++) value = i % 2 === 0 ? [value] : { a: value }
  return value
}

const anyJson = fc.jsonValue({ stringUnit: 'binary' })

describe('what is taken', () => {
  it('comes out deep-equal, with the length of its JSON text', () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        fc.pre(!JSON.stringify(value).includes('"__proto__":'))
        const plain: unknown = JSON.parse(JSON.stringify(value))
        const result = normaliseJson(plain)
        expect(result).toStrictEqual({ value: plain, bytes: jsonBytes(plain) })
      }),
      { numRuns: 500 },
    )
  })

  it('shares nothing with the input', () => {
    const input = { list: [{ a: 1 }] }
    const copy = copyOf(input) as typeof input
    expect(copy).not.toBe(input)
    expect(copy.list).not.toBe(input.list)
    expect(copy.list[0]).not.toBe(input.list[0])
  })

  it.each([
    ['undefined members are dropped', { a: undefined, b: 1 }, { b: 1 }],
    ['-0 becomes 0', [-0], [0]],
    ['symbol keys are ignored', { [Symbol('s')]: () => 0, a: 1 }, { a: 1 }],
    ['objects without a prototype become plain', Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    [
      'getters are read',
      {
        get a() {
          return 1
        },
      },
      { a: 1 },
    ],
    ['what is not enumerable stays out', Object.defineProperty({ a: 1 }, 'b', { value: 2 }), { a: 1 }],
    ['lone surrogates in strings become U+FFFD', ['a\ud83d'], ['a\ufffd']],
    ['lone surrogates in keys become U+FFFD', { 'a\ud83d': 1 }, { 'a\ufffd': 1 }],
    [
      'names of Object.prototype are data',
      { constructor: 1, toString: 2, hasOwnProperty: 3, prototype: 4, valueOf: 5 },
      { constructor: 1, toString: 2, hasOwnProperty: 3, prototype: 4, valueOf: 5 },
    ],
    ['empty values stay', { a: [], b: {}, c: '', d: null, e: false }, { a: [], b: {}, c: '', d: null, e: false }],
    ['an object of undefined members is empty', [{ a: undefined }], [{}]],
  ])('%s', (_, input, output) => {
    expect(normaliseJson(input)).toStrictEqual({ value: output, bytes: jsonBytes(output) })
  })

  it.each(['text', 'a"\\\n\u0001\u2028é中🎉', 0, -1.5e-7, 1e21, true, false, null])(
    'may be the single value %j',
    (value) => {
      expect(normaliseJson(value)).toStrictEqual({ value, bytes: jsonBytes(value) })
    },
  )

  it('copies Proxies, as Vue and MobX make them', () => {
    const reactive = <T extends object>(target: T): T =>
      new Proxy(target, {
        get: (from, key, receiver) => {
          const found: unknown = Reflect.get(from, key, receiver)
          return typeof found === 'object' && found !== null ? reactive(found) : found
        },
      })
    const state = { role: 'user', content: [{ type: 'text', text: 'hi' }, { list: [1, [2]] }] }
    expect(copyOf(reactive(state))).toStrictEqual(state)
  })

  it('copies objects of another realm', () => {
    expect(copyOf(runInNewContext('({ a: [1, { b: null }] })'))).toStrictEqual({ a: [1, { b: null }] })
  })

  it('copies a value that occurs twice twice', () => {
    const shared = { a: [1] }
    const copy = copyOf([shared, shared]) as (typeof shared)[]
    expect(copy).toStrictEqual([{ a: [1] }, { a: [1] }])
    expect(copy[0]).not.toBe(copy[1])
  })

  it('copies anything fast-check can think of, or refuses it with a SessionError', () => {
    const wild = fc.anything({
      withBigInt: true,
      withBoxedValues: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withNullPrototype: true,
      withObjectString: true,
      withSparseArray: true,
      withTypedArray: true,
      stringUnit: 'binary',
    })
    fc.assert(
      fc.property(wild, (value) => {
        const said = refusal(value)
        if (said === 'taken') expect(copyOf(value)).toStrictEqual(JSON.parse(JSON.stringify(value)))
        else expect(said).toMatch(/^InvalidInput: value/)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('what is refused', () => {
  it.each<[string, unknown, string]>([
    ['a function', () => 0, 'is a function, which JSON does not have. Leave it out.'],
    ['a symbol', Symbol('s'), 'is a symbol, which JSON does not have. Leave it out.'],
    ['a BigInt', 1n, 'is a bigint, which JSON does not have. Pass it as text.'],
    ['NaN', Number.NaN, 'is NaN, which JSON does not have. Pass null or a finite number.'],
    ['Infinity', Number.POSITIVE_INFINITY, 'is Infinity, which JSON does not have. Pass null or a finite number.'],
    ['-Infinity', Number.NEGATIVE_INFINITY, 'is -Infinity, which JSON does not have. Pass null or a finite number.'],
    [
      'a Date',
      new Date(0),
      'is of type Date, which JSON would lose. Pass it as text (toISOString) or as milliseconds.',
    ],
    [
      'an invalid Date',
      new Date(Number.NaN),
      'is of type Date, which JSON would lose. Pass it as text (toISOString) or as milliseconds.',
    ],
    [
      'a Date of another realm',
      runInNewContext('new Date(0)'),
      'is of type Date, which JSON would lose. Pass it as text (toISOString) or as milliseconds.',
    ],
    [
      'a Proxy of a Date',
      new Proxy(new Date(0), {}),
      'is of type Date, which JSON would lose. Pass it as text (toISOString) or as milliseconds.',
    ],
    [
      'an instance of a class',
      new (class Part {
        readonly text = 'hi'
      })(),
      'is of type Part, which JSON would lose. Pass plain data.',
    ],
    [
      'an instance with toJSON',
      new (class Money {
        toJSON(): string {
          return '1'
        }
      })(),
      'is of type Money, which JSON would lose. Pass plain data.',
    ],
    [
      'a Proxy of an instance',
      new Proxy(
        new (class Part {
          readonly text = 'hi'
        })(),
        {},
      ),
      'is of type Part, which JSON would lose. Pass plain data.',
    ],
    [
      'what inherits from an object',
      Object.create({ text: 'hi' }),
      'is of type Object, which JSON would lose. Pass plain data.',
    ],
    ['a Map', new Map(), 'is of type Map, which JSON would lose. Pass an object or array of its entries.'],
    ['a Set', new Set(), 'is of type Set, which JSON would lose. Pass an object or array of its entries.'],
    ['a WeakMap', new WeakMap(), 'is of type WeakMap, which JSON would lose. Pass plain data.'],
    ['a Promise', Promise.resolve(), 'is of type Promise, which JSON would lose. Await it first.'],
    [
      'an ArrayBuffer',
      new ArrayBuffer(1),
      'is of type ArrayBuffer, which JSON would lose. Store it as a blob, or pass it as base64 text.',
    ],
    [
      'a typed array',
      new Uint8Array(1),
      'is of type Uint8Array, which JSON would lose. Store it as a blob, or pass it as base64 text.',
    ],
    [
      'a DataView',
      new DataView(new ArrayBuffer(1)),
      'is of type DataView, which JSON would lose. Store it as a blob, or pass it as base64 text.',
    ],
    ['a Blob', new Blob([]), 'is of type Blob, which JSON would lose. Store it as a blob, or pass it as base64 text.'],
    [
      'an event target',
      new AbortController().signal,
      'is of type AbortSignal, which JSON would lose. Pass plain data.',
    ],
    ['a RegExp', /x/, 'is of type RegExp, which JSON would lose. Pass plain data.'],
    ['an Error', new TypeError('x'), 'is of type Error, which JSON would lose. Pass plain data.'],
    ['a URL', new URL('https://a.b'), 'is of type URL, which JSON would lose. Pass plain data.'],
    [
      'what calls itself an array',
      {
        0: 'a',
        length: 1,
        __proto__: {
          get [Symbol.toStringTag]() {
            return 'Array'
          },
        },
      },
      'is of type Array, which JSON would lose. Pass plain data.',
    ],
    ['a boxed string', Object('x'), 'is of type String, which JSON would lose. Pass plain data.'],
    [
      'a Proxy of a Map',
      new Proxy(new Map(), {}),
      'is of type Map, which JSON would lose. Pass an object or array of its entries.',
    ],
  ])('%s, with its path', (_, value, reason) => {
    expect(refusal({ content: [0, 1, { input: { x: value } }] }, { path: 'message' })).toBe(
      `InvalidInput: message.content[2].input.x ${reason}`,
    )
  })

  it.each([
    ['undefined', [1, undefined], 'is undefined'],
    ['a hole', [1, , 3], 'is a hole'],
  ])('%s in a list', (_, list, found) => {
    expect(refusal({ list }, { path: 'message' })).toBe(
      `InvalidInput: message.list[1] ${found}, which a list in JSON can't have. Pass null, or leave it out.`,
    )
  })

  it('an own toJSON', () => {
    expect(refusal({ a: { toJSON: () => 1 } })).toBe(
      'InvalidInput: value.a.toJSON is a function, which JSON does not have. Leave it out.',
    )
  })

  it('undefined itself', () => {
    expect(refusal(undefined)).toBe('InvalidInput: value is undefined, which JSON does not have. Pass a value.')
  })

  it('an own key __proto__', () => {
    expect(refusal(JSON.parse('{"a":{"__proto__":{"admin":true}}}'))).toBe(
      'InvalidInput: value.a.__proto__ would become the prototype of whatever receives it. Rename the key.',
    )
  })

  it.each([
    { 'a\ud83d': 1, 'a\ud83e': 2 },
    { 'a\ud83d': 1, 'a\ufffd': 2 },
    { 'a\ufffd': 1, 'a\ud83d': 2 },
  ])('keys that become equal: %j', (value) => {
    expect(refusal(value)).toMatch(
      /^InvalidInput: value\[.*\] equals another key once lone surrogates are replaced. Rename one.$/,
    )
  })

  it('a key that no identifier can spell, in brackets', () => {
    expect(refusal({ 'a "b"': [Number.NaN] })).toMatch('value["a \\"b\\""][0] is NaN')
  })

  it('a path of any length, with its beginning', () => {
    const message = refusal({ ['k'.repeat(5000)]: { x: 1n } })
    expect(message.length).toBeLessThan(400)
    expect(message).toContain('value.kkk')
  })
})

describe('reading that throws', () => {
  const failing = new Error('boom')
  const throwing: ProxyHandler<object> = {
    ownKeys() {
      throw failing
    },
  }

  it.each<[string, unknown, string]>([
    [
      'a getter',
      {
        a: {
          get b() {
            throw failing
          },
        },
      },
      'value.a.b',
    ],
    ['a Proxy trap', { a: [new Proxy({}, throwing)] }, 'value.a[0]'],
  ])('of %s is refused with the path and the cause', (_, value, path) => {
    expect(() => normaliseJson(value)).toThrow(
      expect.objectContaining({
        name: 'InvalidInput',
        message: `${path} could not be read: its getter or Proxy threw (see cause). Pass plain data.`,
        cause: failing,
      }),
    )
  })

  it('of a revoked Proxy is refused', () => {
    const { proxy, revoke } = Proxy.revocable([], {})
    revoke()
    expect(refusal([proxy])).toMatch(/^InvalidInput: value\[0\] could not be read/)
  })

  it('of something that throws a SessionError of its own is refused with that as its cause', () => {
    const own = new SessionError('StorageClosed', 'closed')
    expect(() =>
      normaliseJson({
        get a() {
          throw own
        },
      }),
    ).toThrow(expect.objectContaining({ name: 'InvalidInput', cause: own }))
  })
})

describe('depth', () => {
  it('of 256 is taken', () => {
    expect(copyOf(nested(256))).toStrictEqual(nested(256))
  })

  it.each([257, 10_000, 1_000_000])('of %i is refused', (levels) => {
    expect(refusal(nested(levels))).toMatch(
      /^InvalidInput: value.* is more than 256 levels deep. Flatten it, or store it as JSON text.$/,
    )
  })

  it('of 100,000 is copied when the caller allows it', () => {
    let copy = normaliseJson(nested(100_000), { maxDepth: Number.POSITIVE_INFINITY }).value as unknown
    let levels = 0
    for (; typeof copy === 'object'; levels++) copy = Object.values(copy as object)[0]
    expect(levels).toBe(100_000)
  })
})

describe('a cycle', () => {
  it.each<[string, () => unknown, string]>([
    [
      'of an object with itself',
      () => {
        const a: Record<string, unknown> = {}
        a.self = a
        return a
      },
      'value.self',
    ],
    [
      'of an array with itself',
      () => {
        const a: unknown[] = [1]
        a.push(a)
        return { list: a }
      },
      'value.list[1]',
    ],
    [
      'through a parent pointer',
      () => {
        const child: Record<string, unknown> = {}
        const root = { children: [{}, child] }
        child.parent = root
        return { root }
      },
      'value.root.children[1].parent',
    ],
    [
      'beside more data than fits',
      () => {
        const a: Record<string, unknown> = { text: 'x'.repeat(9_000_000) }
        a.self = a
        return a
      },
      'value.self',
    ],
  ])('%s is refused where it closes', (_, make, path) => {
    expect(refusal(make())).toBe(`InvalidInput: ${path} contains itself. Pass data without cycles.`)
  })

  it('that branches at every level ends at once', () => {
    const a: Record<string, unknown> = {}
    for (const key of 'bcdefgh') a[key] = a
    expect(refusal(a)).toBe('InvalidInput: value.b contains itself. Pass data without cycles.')
  })
})

describe('size', () => {
  it('up to the limit is taken, one byte more is refused', () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        fc.pre(!JSON.stringify(value).includes('"__proto__":'))
        const bytes = jsonBytes(JSON.parse(JSON.stringify(value)))
        expect(refusal(value, { maxBytes: bytes })).toBe('taken')
        expect(refusal(value, { maxBytes: bytes - 1 })).toMatch(/^TooLarge/)
      }),
    )
  })

  it('over the limit is refused with the limit, what was found, and where', () => {
    expect(refusal({ content: [{ text: 'ab' }, { text: 'c'.repeat(100) }] }, { maxBytes: 50, path: 'message' })).toBe(
      'TooLarge: message is over the limit of 50 bytes of JSON: it has at least 136 up to message.content[1].text. Split it, or store its large parts as blobs.',
    )
  })

  it('is 16 MiB unless the caller says otherwise', () => {
    const limit = 16 * 1024 * 1024
    expect(normaliseJson('x'.repeat(limit - 2)).bytes).toBe(limit)
    expect(refusal('x'.repeat(limit - 1))).toMatch(/^TooLarge: value is over the limit of 16777216 bytes/)
  })

  it('of a sparse array is refused without visiting its holes', () => {
    const holes = new Proxy(new Array<unknown>(4_294_967_295), {
      get: (list, key) => (key === 'length' ? list.length : expect.fail('read a hole')),
    })
    expect(refusal({ list: holes })).toMatch(/^TooLarge: .* up to value\.list\. /)
  })

  it('of references shared a billion times over is refused once the copy is too large', () => {
    let value: unknown = []
    for (let i = 0; i < 30; i++) value = { a: value, b: value }
    expect(refusal(value, { maxBytes: 1024 * 1024 })).toMatch(/^TooLarge/)
  })

  it('of an endless Proxy is refused', () => {
    const endless: object = new Proxy([], {
      get: (_, key) => (key === 'length' ? 2 ** 53 : key === Symbol.toPrimitive ? undefined : 'x'),
    })
    expect(refusal(endless)).toMatch(/^TooLarge/)
  })
})

describe('prototypes', () => {
  it('are those of plain objects and arrays, whatever the input had', () => {
    class List extends Array<unknown> {}
    const copy = copyOf(Object.assign(Object.create(null), { a: List.of(1) })) as { a: unknown }
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
    expect(Object.getPrototypeOf(copy.a)).toBe(Array.prototype)
  })
})
