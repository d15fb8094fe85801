/**
 * A line that could not be taken leaves a gap in the tree: entries that hang from it name an id nobody has. What can
 * still be read of the line tells where they belong.
 */
export interface Gap {
  /** Everything on the line that may be its id. */
  readonly ids: readonly string[]
  /** What it names as parent; `undefined` when that can't be read. */
  readonly parentId: string | null | undefined
  /** Id of the entry before it in the file. */
  readonly before: string | null
}

/** How much of the line is looked at, from either end: pi writes ids first, or last. */
const searchedChars = 1024

/** Reads what it can of a line, JSON or not. */
export function readGap(text: string, before: string | null): Gap {
  const searched =
    text.length <= 2 * searchedChars ? text : `${text.slice(0, searchedChars)}\n${text.slice(-searchedChars)}`
  const ids = [...searched.matchAll(/"id"\s*:\s*"([^"\\]{1,200})"/g)].map((match) => match[1]!)
  const parent = /"parentId"\s*:\s*(?:null|"([^"\\]{1,200})")/.exec(searched)
  return { ids, parentId: parent === null ? undefined : (parent[1] ?? null), before }
}

/**
 * Finds the parents of entries that hang from gaps.
 *
 * @returns for an id that only a gap has (or for one that nobody has, named right after a gap) the id of the nearest
 *   entry above it, as far as that can be told, otherwise of the one before it in the file; `null` for none;
 *   `undefined` when no gap is near
 */
export function createBridge(
  gaps: readonly Gap[],
  isEntry: (id: string) => boolean,
): (id: string, after: Gap | undefined) => string | null | undefined {
  const byId = new Map<string, Gap>()
  for (const gap of gaps) for (const id of gap.ids) byId.set(id, gap)
  return (id, after) => {
    const seen = new Set<Gap>()
    const first = byId.get(id) ?? after
    for (let gap = first; gap !== undefined && !seen.has(gap); ) {
      seen.add(gap)
      // Two entries run together in one line: the parent that is read may be the first of them.
      const above: string | null =
        gap.parentId === undefined || (gap.parentId !== null && gap.ids.includes(gap.parentId))
          ? gap.before
          : gap.parentId
      if (above === null || isEntry(above)) return above
      gap = byId.get(above)
    }
    return first?.before
  }
}
