/**
 * The result of Python's `int()` for a setting: numbers lose their fraction, booleans are 1 and 0, strings may have
 * white space around a sign and digits (with single underscores between). `undefined` where `int()` fails.
 */
export function pythonInt(value: unknown): number | undefined {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value === 'number') return Number.isFinite(value) ? Math.trunc(value) : undefined
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  return /^[+-]?\d+(_\d+)*$/.test(text) ? Number(text.replaceAll('_', '')) : undefined
}
