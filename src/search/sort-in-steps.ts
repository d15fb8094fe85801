/** Sorts texts like `sort()`, in steps of about this many, so that other work can run in between. */
export function* sortInSteps(
  texts: readonly string[],
  stepSize: number,
): Generator<void, readonly string[], undefined> {
  let lists: string[][] = []
  for (let from = 0; from < texts.length; from += stepSize) {
    lists.push(texts.slice(from, from + stepSize).sort())
    yield
  }
  while (lists.length > 1) {
    const joined: string[][] = []
    for (let i = 0; i < lists.length; i += 2)
      joined.push(i + 1 < lists.length ? yield* join(lists[i]!, lists[i + 1]!, stepSize) : lists[i]!)
    lists = joined
  }
  return lists[0] ?? []
}

function* join(a: readonly string[], b: readonly string[], stepSize: number): Generator<void, string[], undefined> {
  const joined: string[] = []
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    joined.push(j === b.length || (i < a.length && a[i]! <= b[j]!) ? a[i++]! : b[j++]!)
    if (joined.length % stepSize === 0) yield
  }
  return joined
}
