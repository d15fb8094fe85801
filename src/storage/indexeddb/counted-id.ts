/** An id that ends in a number: what stands before that, and the number. */
export interface CountedId {
  readonly stem: string
  readonly count: number
}

/** Up to 15 digits, which a number holds exactly, and none in front that the number would lose. */
const counted = /^(.*?)(0|[1-9]\d{0,14})$/s

/** Takes an id apart, if it ends in a number; the parts make it again. */
export function countOf(id: string): CountedId | undefined {
  const [, stem, digits] = counted.exec(id) ?? []
  return stem === undefined || digits === undefined ? undefined : { stem, count: Number(digits) }
}
