import type { EntryView } from '../contract/entry.ts'
import type { EntryPage, ReadOptions } from '../contract/store/session-log.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import { abortError } from './byte-source.ts'

/** The maximum number of entries per read. */
const pageSize = 512

export interface ReadViewOptions extends Pick<ReadOptions, 'branch' | 'view'> {
  /** Checked before each page. */
  readonly signal?: AbortSignal | undefined
  /** Called with each page. */
  readonly onPage?: (page: EntryPage) => void
}

/** Reads a view of a line from its start. @throws Aborted */
export async function* readView(
  store: Pick<SessionStore, 'read'>,
  key: string,
  { signal, onPage, ...options }: ReadViewOptions,
): AsyncGenerator<EntryView, void, undefined> {
  for (let after = '', more = true; more; ) {
    if (signal?.aborted) throw abortError('export')
    const page = await store.read(key, { ...options, after, limit: pageSize })
    onPage?.(page)
    yield* page.entries
    after = page.entries.at(-1)?.order ?? after
    more = page.more && page.entries.length > 0
  }
}
