/** How far each client of a document is. */
export type Clocks = ReadonlyMap<number, number>

/** Whether one has something that the other does not have. */
export const hasMore = (clocks: Clocks, than: Clocks): boolean =>
  [...clocks].some(([client, clock]) => clock > (than.get(client) ?? 0))
