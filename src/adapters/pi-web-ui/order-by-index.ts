import type { PiIndexConfig } from './storage-types.ts'

/** A value and what an index orders it by. */
interface Indexed<T> {
  readonly key: string
  readonly value: T
  readonly places: readonly unknown[]
}

/** Keys of an index, in the order that IndexedDB gives their kinds. */
const kinds = ['number', 'Date', 'string']

/**
 * Orders values by an index as IndexedDB does: numbers, then dates, then texts; equal ones by their keys. A value without
 * the property is not in the index.
 */
export function orderByIndex<T>(
  values: readonly { readonly key: string; readonly value: T }[],
  { keyPath }: Pick<PiIndexConfig, 'keyPath'>,
  direction: 'asc' | 'desc',
): T[] {
  const paths = typeof keyPath === 'string' ? [keyPath] : keyPath
  const indexed = values
    .map((one): Indexed<T> => ({ ...one, places: paths.map((path) => propertyAt(one.value, path)) }))
    .filter(({ places }) => places.every((place) => kinds.includes(kindOf(place))))
  const sign = direction === 'desc' ? -1 : 1
  return indexed
    .sort((a, b) => sign * (compareAll(a.places, b.places) || compare(a.key, b.key)))
    .map((one) => one.value)
}

function propertyAt(value: unknown, path: string): unknown {
  let found = value
  for (const name of path.split('.')) found = (found as Readonly<Record<string, unknown>> | null | undefined)?.[name]
  return found
}

const kindOf = (place: unknown): string =>
  place instanceof Date ? (Number.isNaN(place.getTime()) ? 'none' : 'Date') : typeof place

function compareAll(a: readonly unknown[], b: readonly unknown[]): number {
  for (let i = 0; i < a.length; i++) {
    const order = kinds.indexOf(kindOf(a[i])) - kinds.indexOf(kindOf(b[i])) || compare(a[i] as string, b[i] as string)
    if (order !== 0) return order
  }
  return 0
}

/** By code units, as IndexedDB compares texts. */
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
