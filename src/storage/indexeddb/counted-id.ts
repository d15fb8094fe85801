/** An id that ends in a number: the part before it, and the number. */
export interface CountedId {
  readonly stem: string
  readonly count: number
}

/** Up to 15 digits, which a number represents exactly, without leading zeros, which a number would lose. */
const counted = /^(.*?)(0|[1-9]\d{0,14})$/s

/** Splits an id that ends in a number. The parts together make it again. */
export function countOf(id: string): CountedId | undefined {
  const [, stem, digits] = counted.exec(id) ?? []
  return stem === undefined || digits === undefined ? undefined : { stem, count: Number(digits) }
}
