/** The order of two texts by their characters, as Python has it. JavaScript compares UTF-16 code units. */
export function compareByCodePoint(one: string, other: string): number {
  for (let i = 0; i < one.length && i < other.length; i++) {
    // In front of the first difference both have the same units, so `i` is within a character in both or in neither.
    const difference = one.codePointAt(i)! - other.codePointAt(i)!
    if (difference !== 0) return difference
  }
  return one.length - other.length
}
