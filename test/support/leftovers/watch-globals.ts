/** Says what is left over since it was made: one text for each thing. */
export type Leftovers = () => string[]

/** What tests replace parts of. */
const shared = (): Record<string, object | undefined> => ({
  globalThis,
  console,
  Math,
  JSON,
  Date,
  performance: globalThis.performance,
  crypto: globalThis.crypto,
  navigator: globalThis.navigator,
  ...(typeof process === 'undefined' ? {} : { 'process.env': process.env }),
})

/** Watches over the globals of a realm and its environment: what is added, taken away or put in place of another. */
export function watchGlobals(): Leftovers {
  const before = Object.entries(shared()).map(([name, object]) => ({ name, object, properties: propertiesOf(object) }))
  return () => before.flatMap(({ name, object, properties }) => differences(name, properties, propertiesOf(object)))
}

function propertiesOf(object: object | undefined): ReadonlyMap<PropertyKey, unknown> {
  const found = new Map<PropertyKey, unknown>()
  if (object === undefined) return found
  for (const key of Reflect.ownKeys(object)) {
    // Symbols are what platforms and libraries keep for themselves.
    if (typeof key === 'symbol' || isOfLibrary(key)) continue
    const { get } = Object.getOwnPropertyDescriptor(object, key) ?? {}
    // Some are made when they are first looked at.
    const value =
      get === undefined || isLazy(object) ? quietly(() => (object as Record<PropertyKey, unknown>)[key]) : undefined
    const after = Object.getOwnPropertyDescriptor(object, key)
    found.set(key, after?.get ?? value)
  }
  return found
}

/** Node makes many of its globals when they are asked for; elsewhere a getter may do anything. */
const isLazy = (object: object): boolean => object === globalThis && typeof process !== 'undefined'

function quietly(read: () => unknown): unknown {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** Yjs leaves a mark by which a second copy of it would be known, zod its settings. */
const isOfLibrary = (key: string): boolean =>
  /vitest|jest|chai|__vite|cov/i.test(key) || key === '__ $YJS$ __' || /^(__zod|lc_)/.test(key)

function differences(
  name: string,
  before: ReadonlyMap<PropertyKey, unknown>,
  after: ReadonlyMap<PropertyKey, unknown>,
): string[] {
  const place = (key: PropertyKey): string =>
    name === 'globalThis' ? `global ${String(key)}` : `${name}.${String(key)}`
  return [
    ...[...after.keys()].filter((key) => !before.has(key)).map((key) => `a new ${place(key)}`),
    ...[...before.keys()].filter((key) => !after.has(key)).map((key) => `no ${place(key)}`),
    ...[...before]
      .filter(([key, value]) => after.has(key) && !Object.is(after.get(key), value))
      .map(([key]) => `another ${place(key)}`),
  ]
}
