/** What loads what: modules, or the chunks that they come in. */
export interface LoadGraph {
  readonly bytes: ReadonlyMap<string, number>
  /** What each imports, which is loaded with it. */
  readonly imports: ReadonlyMap<string, ReadonlySet<string>>
  /** What each loads later, if ever: by `import()`. */
  readonly later: ReadonlyMap<string, ReadonlySet<string>>
  readonly entries: ReadonlySet<string>
}

/** What is loaded with one. */
export function loadedWith(one: string, { imports }: LoadGraph): Set<string> {
  const loaded = new Set([one])
  for (const next of loaded) for (const other of imports.get(next) ?? []) loaded.add(other)
  return loaded
}

/**
 * What a page has for certain when an entry runs, or a part that is loaded later: what is loaded with it, and for a part
 * also what a page has with each that loads the part.
 */
export function presentAt(graph: LoadGraph): Map<string, ReadonlySet<string>> {
  const loaders = new Map<string, string[]>()
  for (const [loader, parts] of graph.later)
    for (const part of parts) loaders.set(part, [...(loaders.get(part) ?? []), loader])
  for (const entry of graph.entries) loaders.delete(entry)
  const loaded = new Map([...graph.entries, ...loaders.keys()].map((root) => [root, loadedWith(root, graph)] as const))
  const all = new Set(graph.bytes.keys())
  const present = new Map<string, ReadonlySet<string>>(
    [...loaded].map(([root, own]) => [root, loaders.has(root) ? all : own]),
  )
  // Parts may load each other, so what is not certain is taken away until nothing more is.
  for (let certain = false; !certain; ) {
    certain = true
    for (const [part, by] of loaders) {
      const before = [...loaded].filter(([, own]) => by.some((loader) => own.has(loader))).map(([root]) => root)
      const known = present.get(part)!
      const left = [...known].filter(
        (one) => loaded.get(part)!.has(one) || before.every((root) => present.get(root)!.has(one)),
      )
      if (left.length === known.size) continue
      present.set(part, new Set(left))
      certain = false
    }
  }
  return present
}

/** The graph in which each is part of what `home` gives for it. */
export function merged(graph: LoadGraph, home: (one: string) => string): LoadGraph {
  const bytes = new Map<string, number>()
  for (const [one, size] of graph.bytes) bytes.set(home(one), (bytes.get(home(one)) ?? 0) + size)
  const moved = (links: LoadGraph['imports']): Map<string, Set<string>> => {
    const result = new Map([...bytes.keys()].map((chunk) => [chunk, new Set<string>()] as const))
    for (const [from, all] of links)
      for (const to of all) if (home(from) !== home(to)) result.get(home(from))!.add(home(to))
    return result
  }
  return {
    bytes,
    imports: moved(graph.imports),
    later: moved(graph.later),
    entries: new Set([...graph.entries].map(home)),
  }
}
