/** Adds items to a list one by one: a list that is spread into `push` overflows the stack where it is long. */
export function pushAll<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item)
}
