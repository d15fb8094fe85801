/** A value of a caller as an error tells it: in words where it can't be turned into a text, and never at length. */
export function told(value: unknown): string {
  if (typeof value === 'object' || typeof value === 'function') return value === null ? 'null' : `a ${typeof value}`
  const text = typeof value === 'string' ? `"${value}"` : String(value)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
