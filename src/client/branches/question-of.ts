import type { EntryView } from '../../contract/entry.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { turnStarts } from '../../domain/context/turn-starts.ts'
import type { Standing } from './find-standing.ts'

const pageSize = 64

/**
 * The user's message that an entry answers, or the entry itself if it is one; `undefined` if there is no such message.
 * It may have been removed: the one before it was answered by something else.
 */
export async function questionOf(
  store: SessionStore,
  key: string,
  { line, entry }: Standing,
): Promise<EntryView | undefined> {
  if (isQuestion(entry)) return entry
  for (let before = entry.order; ; ) {
    const page = await store.read(key, { branch: line, view: 'raw', before, limit: pageSize })
    const found = page.entries.findLast(isQuestion)
    const [first] = page.entries
    if (found !== undefined || !page.more || first === undefined) return found
    before = first.order
  }
}

function isQuestion({ message }: EntryView): boolean {
  return message !== undefined && turnStarts([message]).length > 0
}
