import type { EntryView } from '../../contract/entry.ts'
import type { Message } from '../../contract/message.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { textOfParts } from '../../domain/join-parts.ts'
import { messageParts } from '../../domain/reply-message.ts'
import type { InterruptedReply } from '../message-stream-types.ts'

/** The interrupted replies among the newest entries, oldest first, without those that are being resumed already. */
export async function readInterrupted(
  store: SessionStore,
  key: string,
  last: number,
): Promise<readonly InterruptedReply[]> {
  // Called first, because it turns the drafts of a dead page into entries.
  const drafts = await store.listDrafts(key)
  const { entries } = await store.read(key, { last })
  const isCutOff = (entry: EntryView): entry is EntryView & { readonly message: Message } =>
    entry.message?.['interrupted'] === true &&
    !drafts.some(({ resumes }) => resumes?.branch === entry.branch && resumes.order === entry.order)
  return entries.filter(isCutOff).map((entry) => {
    const parts = messageParts(entry.message)
    return {
      ...entry,
      text: textOfParts(parts, 'text'),
      reasoning: textOfParts(parts, 'reasoning'),
      stopped: entry.message['stopped'] === true,
      parts,
    }
  })
}
