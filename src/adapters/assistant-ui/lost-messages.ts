/** Messages that were refused for good, each with the one that it would have followed. */
export interface LostMessages {
  add(id: string, parentId: string | null): void
  delete(id: string): void
  /** What follows a message of this id follows the nearest one in front that was not lost; `null`: nothing. */
  nearest(id: string | null): string | null
}

export function createLostMessages(): LostMessages {
  const parents = new Map<string, string | null>()
  function nearest(id: string | null): string | null {
    let found = id
    while (found !== null && parents.has(found)) found = parents.get(found)!
    return found
  }
  return {
    add: (id, parentId) => {
      parents.delete(id)
      const parent = nearest(parentId)
      // A message that is said to follow itself must not be looked for without end.
      parents.set(id, parent === id ? null : parent)
    },
    delete: (id) => void parents.delete(id),
    nearest,
  }
}
