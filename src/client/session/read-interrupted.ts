import type { EntryView } from '../../contract/entry.ts'
import type { Message } from '../../contract/message.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { textOfParts } from '../../domain/join-parts.ts'
import { messageParts } from '../../domain/reply-message.ts'
import type { InterruptedReply } from '../message-stream-types.ts'

/** The replies among the newest entries that were cut off, oldest first. What somebody goes on with already is none. */
export async function readInterrupted(
  store: SessionStore,
  key: string,
  last: number,
): Promise<readonly InterruptedReply[]> {
  // First, because what a dead page left becomes an entry by it.
  const drafts = await store.listDrafts(key)
  const { entries } = await store.read(key, { last })
  const isCutOff = (entry: EntryView): entry is EntryView & { readonly message: Message } =>
    entry.message?.['interrupted'] === true &&
    !drafts.some(({ resumes }) => resumes?.branch === entry.branch && resumes.order === entry.order)
  return entries.filter(isCutOff).map((entry) => {
    const parts = messageParts(entry.message)
    return { ...entry, text: textOfParts(parts, 'text'), reasoning: textOfParts(parts, 'reasoning'), parts }
  })
}
