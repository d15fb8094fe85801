import { readEntries } from '../../client/session/read-entries.ts'
import type { EntryView } from '../../contract/entry.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { given } from '../../domain/given.ts'
import type { LabelRow } from '../../domain/labels-of.ts'
import { labelsOf } from '../../domain/labels-of.ts'

/**
 * The labels of all lines, by the ids of the entries. A label that several lines share is read once for each and counts
 * once.
 *
 * The session is read twice, because a label can be older than its entry (a copy that another device imported later).
 * So only the labels and their entries are held in memory. A session without labels is read once.
 *
 * @throws Aborted when the signal fires
 */
export async function readLabels(
  store: SessionStore,
  key: string,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const rows = new Map<string, LabelRow>()
  await overEntries(store, key, signal, (entry) => {
    if (entry.type === 'label') rows.set(entry.id, entry)
  })
  if (rows.size === 0) return new Map()
  const named = new Set([...rows.values()].map(({ data }) => data?.['targetId']))
  await overEntries(store, key, signal, ({ id, mid, type, at, order, data }) => {
    if (named.has(id) || (mid !== undefined && named.has(mid))) {
      // A labelled message may be long, and only a label's data is needed.
      rows.set(id, given({ id, mid, type, at, order, data: type === 'label' ? data : undefined }))
    }
  })
  return labelsOf([...rows.values()])
}

/** Goes over the entries of every line, page by page. */
async function overEntries(
  store: SessionStore,
  key: string,
  signal: AbortSignal | undefined,
  act: (entry: EntryView) => void,
): Promise<void> {
  for (const { id, fork } of await store.listBranches(key)) {
    const own = { branch: id, view: 'raw', after: fork?.order ?? '' } as const
    for await (const entries of readEntries(store, key, signal, own)) entries.forEach(act)
  }
}
