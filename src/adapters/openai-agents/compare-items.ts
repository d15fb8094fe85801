import { encodeValues } from '../encode-values.ts'

/** JSON text of items, the same for the same fields in any order. Absent and undefined fields are the same. */
export function itemText(value: unknown): string {
  return JSON.stringify(encodeValues(value), (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}

export const isSameItem = (one: unknown, other: unknown): boolean => itemText(one) === itemText(other)
