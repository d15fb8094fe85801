import { expect, it } from 'vitest'
import { copyArgument } from '../../src/client/worker/copy-argument.ts'

it('copies what Proxies stand for', () => {
  const state = new Proxy({ content: new Proxy([{ type: 'text', text: 'hi' }], {}), at: new Date(0) }, {})
  expect(copyArgument(state)).toEqual({ content: [{ type: 'text', text: 'hi' }], at: new Date(0) })
})

it.each<[string, unknown, RegExp]>([
  ['a function', { message: { content: () => 'hi' } }, /argument\.message\.content is a function/],
  ['a symbol', [{ a: Symbol('s') }], /argument\.0\.a is a symbol/],
  ['a promise', { a: Promise.resolve() }, /argument\.a is of type Promise/],
  [
    'an instance of a class',
    {
      a: [
        new (class Part {
          text = 'hi'
        })(),
      ],
    },
    /argument\.a\.0 is of type Part/,
  ],
  [
    'a Proxy of an instance',
    {
      a: new Proxy(
        new (class Part {
          text = 'hi'
        })(),
        {},
      ),
    },
    /argument\.a is of type Part/,
  ],
  [
    'an instance in large data',
    {
      list: Array.from({ length: 30_000 }, (_, i) => ({ i })),
      a: new (class Part {
        text = 'hi'
      })(),
    },
    /argument\.a is of type Part/,
  ],
  ['a function alone', () => 1, /argument is a function/],
  [
    'a getter that throws',
    {
      get content() {
        throw new Error('no')
      },
    },
    /argument\.content can't be read.*no/,
  ],
  [
    'what holds itself',
    (() => {
      const a: Record<string, unknown> = {}
      a['a'] = a
      return a
    })(),
    /too deep, or holds itself/,
  ],
])('refuses %s before it is sent, and says where', (_, argument, message) => {
  expect(() => copyArgument(argument)).toThrow(
    expect.objectContaining({ name: 'InvalidInput', message: expect.stringMatching(message) }),
  )
})

it('shares nothing with plain data', () => {
  const argument = { a: [1, 'two', null, undefined, { b: true }], c: Object.assign(Object.create(null), { d: 1n }) }
  const copy = copyArgument(argument)
  argument.a.push('later')
  ;(argument.a[4] as { b: boolean }).b = false
  expect(copy).toEqual({ a: [1, 'two', null, undefined, { b: true }], c: { d: 1n } })
})

it('copies an own key __proto__ as a key, for the store to refuse', () => {
  const odd = copyArgument(JSON.parse('{"__proto__":{"a":1}}') as object)
  expect(Object.keys(odd)).toEqual(['__proto__'])
  expect(Object.getPrototypeOf(odd)).toBe(Object.prototype)
})

it('copies once what is shared a billion times over, and refuses four billion holes at the first', () => {
  let shared: unknown = {}
  for (let i = 0; i < 30; i++) shared = [shared, shared]
  const copy = copyArgument(shared) as readonly unknown[]
  expect(copy[0]).toBe(copy[1])
  expect(() => copyArgument(new Array(4_000_000_000))).toThrow(/argument\.0 is a hole/)
})

it('copies what JSON has not, for the store to judge', () => {
  const value = { at: new Date(0), map: new Map([[1, 2]]), nothing: undefined, big: 1n, holes: [1, undefined] }
  expect(copyArgument(value)).toEqual(value)
})

it('copies large data as well', () => {
  const large = Array.from({ length: 30_000 }, (_, i) => ({ i }))
  const copy = copyArgument(large)
  expect(copy).toEqual(large)
  expect(copy[0]).not.toBe(large[0])
  expect(copyArgument(large.map((one) => new Proxy(one, {})))).toEqual(large)
})
