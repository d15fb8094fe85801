import type { EntryView } from '../../contract/entry.ts'
import type { EntryPage, ReadOptions } from '../../contract/store/session-log.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { unlessAborted } from '../upkeep/unless-aborted.ts'

const pageSize = 512

/** A part of a line, from its beginning or after an order. */
interface LinePart extends Pick<ReadOptions, 'branch' | 'view' | 'after'> {
  /** How many entries the first page has. A small one is there soon, but the store read the second one ahead in vain. */
  readonly first?: number
}

/**
 * Reads a line page by page, from its beginning or after an order; by default the transcript of the head. The next page
 * is requested before one is returned, so that reading and processing overlap.
 *
 * @throws Aborted as soon as the signal fires
 */
export async function* readEntries(
  store: SessionStore,
  key: string,
  signal?: AbortSignal,
  { branch: line, view, after: start = '', first = pageSize }: LinePart = {},
): AsyncGenerator<readonly EntryView[]> {
  const read = (after: string, branch = line, limit = pageSize): Promise<EntryPage> => {
    const page = store.read(key, {
      after,
      limit,
      ...(branch === undefined ? {} : { branch }),
      ...(view === undefined ? {} : { view }),
    })
    // If the caller stops early, nobody awaits this page.
    page.catch(() => undefined)
    return page
  }
  let next: Promise<EntryPage> | undefined = read(start, line, first)
  while (next !== undefined) {
    const { entries, more, branch }: EntryPage = await unlessAborted(next, signal, 'Reading the session')
    const last = entries.at(-1)
    next = more && last !== undefined ? read(last.order, branch) : undefined
    yield entries
  }
}
