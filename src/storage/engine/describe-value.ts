/** A caller's value for an error message: in words when it has no useful text, and never at length. */
export function describeValue(value: unknown): string {
  if (typeof value === 'object' || typeof value === 'function') return value === null ? 'null' : `a ${typeof value}`
  const text = typeof value === 'string' ? `"${value}"` : String(value)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
