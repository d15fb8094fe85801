import type { EntryView } from '../contract/entry.ts'

/** The fields that decide which entry has which label. */
export type LabelRow = Pick<EntryView, 'id' | 'mid' | 'type' | 'data' | 'at' | 'order'>

/**
 * The labels of a session by the ids of the entries, whichever line they were given on. A label names an entry by its
 * id or its host's id. The last one counts, and an empty one, or none, removes the label.
 *
 * Source: pi-coding-agent, `getLabel`
 */
export function labelsOf(rows: readonly LabelRow[]): ReadonlyMap<string, string> {
  const named = new Map<unknown, string[]>()
  for (const { id, mid } of rows) {
    for (const name of new Set([id, mid ?? id])) {
      const ids = named.get(name)
      if (ids === undefined) named.set(name, [id])
      else ids.push(id)
    }
  }
  const labels = new Map<string, string>()
  for (const { data } of rows
    .filter(({ type }) => type === 'label')
    .toSorted((a, b) => a.at - b.at || (a.order < b.order ? -1 : 1))) {
    const label = data?.['label']
    for (const id of named.get(data?.['targetId']) ?? []) {
      if (typeof label === 'string' && label !== '') labels.set(id, label)
      else labels.delete(id)
    }
  }
  return labels
}
