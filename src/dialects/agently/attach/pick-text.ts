import type { RecordPaths } from './attach-types.ts'

/**
 * The text of the values at some places of an object, one per line: strings as they are, everything else as JSON.
 * `undefined` when no value is found.
 */
export function pickText(source: unknown, { paths = [], mode = 'all' }: RecordPaths): string | undefined {
  // Settings may come from a file, and so have any type.
  const places: readonly unknown[] = Array.isArray(paths) ? paths : [paths]
  const found = places
    .flatMap((path) => (typeof path === 'string' ? [valueAt(source, path)] : []))
    .filter((value) => value !== undefined && value !== null)
  const picked = mode === 'first' ? found.slice(0, 1) : found
  return picked.length === 0
    ? undefined
    : picked.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join('\n')
}

/** The value at a place such as `a.b[0].c`. Looks at own members only. */
function valueAt(source: unknown, path: string): unknown {
  let value = source
  for (const name of path.split(/[.[\]]/).filter((part) => part !== '')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Readonly<Record<string, unknown>>)[name]
  }
  return value
}
