/** The length of the longest end that two lists have in common. */
export function commonEnd<A, B>(a: readonly A[], b: readonly B[], isSame: (a: A, b: B) => boolean): number {
  let length = 0
  while (length < a.length && length < b.length && isSame(a[a.length - 1 - length]!, b[b.length - 1 - length]!))
    length += 1
  return length
}
