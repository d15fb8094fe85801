import type { EntryView } from '../../contract/entry.ts'
import { SessionError } from '../../contract/errors.ts'
import type { Message } from '../../contract/message.ts'
import type { EntryPage, HiddenPart, ReadOptions, SessionStore } from '../../contract/store.ts'

/** Part of a line, read to its end. */
export interface LineRead {
  readonly entries: readonly EntryView[]
  readonly hidden: HiddenPart
  readonly branch: string
}

const pageSize = 1024

/**
 * Reads a view of a line from a position to its end, page by page, so that a long session never blocks its page. Begins again when the line
 * is compacted meanwhile.
 *
 * @throws Aborted
 */
export async function readLine(store: SessionStore, key: string, options: Pick<ReadOptions, 'view' | 'after' | 'branch'>, signal?: AbortSignal): Promise<LineRead> {
  const entries: EntryView[] = []
  let first: EntryPage | undefined
  for (;;) {
    if (signal?.aborted === true) throw new SessionError('Aborted', 'Reading was ended by its signal.', { cause: signal.reason })
    const from: Pick<ReadOptions, 'after' | 'branch'> = first === undefined ? {} : { branch: first.branch, ...(entries.length === 0 ? {} : { after: entries.at(-1)!.order }) }
    const page = await store.read(key, { after: '', limit: pageSize, ...options, ...from })
    if (first !== undefined && page.hidden?.compaction !== first.hidden?.compaction) {
      entries.length = 0
      first = undefined
      continue
    }
    first ??= page
    entries.push(...page.entries)
    if (!page.more) return { entries, hidden: first.hidden ?? { summary: '' }, branch: first.branch }
  }
}

/** The messages among entries. */
export const messagesOf = (entries: readonly EntryView[]): readonly Message[] => entries.flatMap(({ message }) => message ?? [])
