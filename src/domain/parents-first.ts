/** The facts about a node of a foreign tree that decide its place. */
export interface TreeLink {
  readonly id: string
  /** `null`, or an unknown id: a root. */
  readonly parentId: string | null
}

/** A node with its parent; absent for roots, orphans and where a cycle was broken. */
export interface PlacedLink<T extends TreeLink> {
  readonly node: T
  readonly parent?: T
}

/**
 * Puts every node after its parent, and otherwise keeps the order of the list. A later parent is moved forward; the
 * first node of a cycle becomes a root. Of several nodes with one id the last counts, at the place of the first. Linear
 * and iterative.
 */
export function parentsFirst<T extends TreeLink>(nodes: readonly T[]): PlacedLink<T>[] {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const position = new Map([...byId.keys()].map((id, i) => [id, i]))
  const placed: PlacedLink<T>[] = []
  const done = new Set<string>()
  for (const start of byId.values()) {
    if (done.has(start.id)) continue
    const climb: T[] = [start]
    const depth = new Map([[start.id, 0]])
    let root: T | undefined
    for (
      let parent = parentOf(byId, start);
      parent !== undefined && !done.has(parent.id);
      parent = parentOf(byId, parent)
    ) {
      const seenAt = depth.get(parent.id)
      if (seenAt !== undefined) {
        root = climb
          .slice(seenAt)
          .reduce((first, node) => (position.get(node.id)! < position.get(first.id)! ? node : first))
        climb.length = depth.get(root.id)! + 1
        break
      }
      depth.set(parent.id, climb.length)
      climb.push(parent)
    }
    for (const node of climb.reverse()) {
      const parent = node === root ? undefined : parentOf(byId, node)
      placed.push(parent === undefined ? { node } : { node, parent })
      done.add(node.id)
    }
  }
  return placed
}

function parentOf<T extends TreeLink>(byId: ReadonlyMap<string, T>, node: T): T | undefined {
  return node.parentId === null ? undefined : byId.get(node.parentId)
}
