/** Whether one state vector includes another. */
export function hasAll(theirs: ReadonlyMap<number, number>, ours: ReadonlyMap<number, number>): boolean {
  return [...ours].every(([client, next]) => (theirs.get(client) ?? 0) >= next)
}
