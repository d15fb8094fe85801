/**
 * A line that could not be read leaves a gap in the tree: its children name an unknown id. The readable parts of the
 * line help to find their place.
 */
export interface Gap {
  /** All texts on the line that may be its id. */
  readonly ids: readonly string[]
  /** The parent that it names; `undefined` when it can't be read. */
  readonly parentId: string | null | undefined
  /** Id of the entry before it in the file. */
  readonly before: string | null
}

/** The number of characters that are searched at each end of the line: pi writes ids first, or last. */
const searchedChars = 1024

/** Reads the ids on a line, even if it is not JSON. */
export function readGap(text: string, before: string | null): Gap {
  const searched =
    text.length <= 2 * searchedChars ? text : `${text.slice(0, searchedChars)}\n${text.slice(-searchedChars)}`
  const ids = [...searched.matchAll(/"id"\s*:\s*"([^"\\]{1,200})"/g)].map((match) => match[1]!)
  const parent = /"parentId"\s*:\s*(?:null|"([^"\\]{1,200})")/.exec(searched)
  return { ids, parentId: parent === null ? undefined : (parent[1] ?? null), before }
}

/**
 * Makes a function that finds the parents of entries whose parent is a gap.
 *
 * @returns for an id of a gap (or an unknown id that is named right after a gap) the id of the nearest known ancestor,
 * otherwise of the entry before the gap in the file; `null` for none; `undefined` when no gap is near
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
      // If two entries are joined in one line, the parent that was read may be the first of them.
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
