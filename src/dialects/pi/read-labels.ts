import { readEntries } from '../../client/session/read-entries.ts'
import type { EntryView } from '../../contract/entry.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { labelsOf } from '../../domain/labels-of.ts'
import { pushAll } from '../../domain/push-all.ts'

/**
 * The labels of all lines, by the ids of the entries. A label that several lines share is read once for each and counts
 * once.
 */
export async function readLabels(store: SessionStore, key: string): Promise<ReadonlyMap<string, string>> {
  const rows: EntryView[] = []
  for (const { id, fork } of await store.listBranches(key)) {
    const own = { branch: id, view: 'raw', after: fork?.order ?? '' } as const
    for await (const entries of readEntries(store, key, undefined, own)) pushAll(rows, entries)
  }
  return labelsOf([...new Map(rows.map((row) => [row.id, row])).values()])
}
