/** Adds items to a list one by one: spreading a long list into `push` overflows the stack. */
export function pushAll<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item)
}
