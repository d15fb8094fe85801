import type { EntryView } from '../../contract/entry.ts'
import type { EntryPage } from '../../contract/store/session-log.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'

const pageSize = 512

/** What a transcript shows of the log. */
export type TranscriptPage = Pick<EntryPage, 'entries' | 'more' | 'skipped' | 'branch' | 'version' | 'session'>

/** Reads the newest entries of a session. */
export async function readNewest(store: SessionStore, key: string, length: number): Promise<TranscriptPage> {
  return lengthenPage(store, key, await store.read(key, { last: Math.min(length, pageSize) }), length)
}

/** Adds the entries before a page, until the page has the length asked for. */
export async function lengthenPage(
  store: SessionStore,
  key: string,
  page: TranscriptPage,
  length: number,
): Promise<TranscriptPage> {
  const [first] = page.entries
  if (!page.more || first === undefined || page.entries.length >= length) return page
  const earlier = await store.read(key, {
    branch: page.branch,
    before: first.order,
    limit: Math.min(length - page.entries.length, pageSize),
  })
  return lengthenPage(
    store,
    key,
    {
      ...earlier,
      entries: [...earlier.entries, ...page.entries],
      skipped: page.skipped + earlier.skipped,
      // Changes between the two reads are announced with a version after the older one.
      version: Math.min(page.version, earlier.version),
    },
    length,
  )
}

/** A page with the objects of an older one wherever an entry is unchanged, so that views need no update. */
export function keepEntries(old: readonly EntryView[], next: readonly EntryView[]): readonly EntryView[] {
  const known = new Map(old.map((entry) => [entry.id, entry]))
  // Only an edit changes an entry.
  return next.map((entry) => {
    const before = known.get(entry.id)
    return before !== undefined && before.edit === entry.edit && before.order === entry.order ? before : entry
  })
}

/** Inserts an entry in reading order. An entry from before the loaded part is left out. */
export function insertEntry(all: readonly EntryView[], entry: EntryView, hasMore: boolean): readonly EntryView[] {
  let at = all.length
  while (at > 0 && (all[at - 1] as EntryView).order > entry.order) at--
  if (all[at - 1]?.id === entry.id || (at === 0 && hasMore)) return all
  return [...all.slice(0, at), entry, ...all.slice(at)]
}
