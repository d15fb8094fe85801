import fc from 'fast-check'

const nested = (depth: number, wrap: (inner: unknown) => unknown): unknown => {
  let value: unknown = 1
  for (let i = 0; i < depth; i++) value = wrap(value)
  return value
}
function cyclic(): unknown {
  const loop: Record<string, unknown> = { a: 1 }
  loop['self'] = [loop]
  return loop
}
const trap = (): never => {
  throw new Error('a trap')
}

/** What no JSON has, what looks like JSON and isn't, and what has broken others. */
const poisons: readonly (() => unknown)[] = [
  () => () => 1,
  () => Symbol('s'),
  () => 10n ** 30n,
  () => Number.NaN,
  () => -Infinity,
  () => -0,
  () => undefined,
  () => null,
  () => new Date(Number.NaN),
  () => new Date(0),
  () => new Map([['a', 1]]),
  () => new Set([1]),
  () => new WeakMap(),
  () => new Uint8Array(4),
  () => new ArrayBuffer(8),
  () => Promise.resolve(1),
  () => new Error('an error'),
  () => /a/g,
  () => new Blob(['x']),
  () => new URL('http://a.example'),
  () => Object.assign([1, 2], { extra: 1 }),
  () => Array(3),
  () => Object.create(null),
  () => Object.assign(Object.create({ inherited: 1 }), { own: 1 }),
  () => new Proxy({ a: 1 }, {}),
  () => new Proxy({}, { ownKeys: trap }),
  () => new Proxy({}, { get: trap }),
  () => Object.defineProperty({}, 'a', { enumerable: true, get: trap }),
  () => JSON.parse('{"__proto__":{"polluted":true}}'),
  () => JSON.parse('{"constructor":{"prototype":{"polluted":true}}}'),
  () => ({ toJSON: () => 'lies' }),
  () => ({ valueOf: trap, toString: trap }),
  cyclic,
  () => nested(200, (a) => [a]),
  () => nested(300, (a) => [a]),
  () => nested(300, (a) => ({ a })),
  () => nested(5_000, (a) => ({ a })),
  () => '\u0000',
  () => '\ud800',
  () => ({ '\ud800': 1, '\udfff': 2 }),
  () => '\u2028</script>',
  () => '',
  () => ' ',
  () => '__proto__',
  () => 'constructor',
  () => 'x'.repeat(2_000),
  () => 'agent:main:main',
  () => '../../etc/passwd',
  () => new String('boxed'),
  () => new Number(1),
  () => Object(Symbol('s')),
  () =>
    new (class Thing {
      field = 1
    })(),
  () =>
    function* () {
      yield 1
    },
  () => globalThis,
]

/** Anything at all. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...poisons).map((make) => make()) },
  {
    weight: 4,
    arbitrary: fc.anything({
      withBigInt: true,
      withBoxedValues: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withObjectString: true,
      withSet: true,
      withTypedArray: true,
      withSparseArray: true,
      stringUnit: 'binary',
    }),
  },
  { weight: 2, arbitrary: fc.jsonValue({ stringUnit: 'binary' }) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.string({ unit: 'binary', maxLength: 8 }), fc.constantFrom(...poisons))
      .map(([name, make]) => Object.defineProperty({ before: 1 }, name, { enumerable: true, value: make() })),
  },
)
