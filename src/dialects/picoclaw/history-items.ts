import type { EntryView } from '../../contract/entry.ts'
import type { Message } from '../../contract/message.ts'
import type { HiddenPart } from '../../contract/store/session-log.ts'
import { modelMessage } from '../../domain/context/model-message.ts'
import { isTransientThought } from '../../domain/transient.ts'

/** A message of a history, and the entry it comes from; none where a compaction put it in front of what it kept. */
export interface HistoryItem {
  readonly message: Message
  readonly entry?: EntryView
}

/** What PicoClaw calls the history: what stands in front, then the messages, without thoughts that led to nothing. */
export function historyItems(hidden: HiddenPart, entries: readonly EntryView[]): readonly HistoryItem[] {
  const front = (hidden.messages ?? []).map((message): HistoryItem => ({ message }))
  const said = entries.flatMap((entry): readonly HistoryItem[] => {
    const message = modelMessage(entry)
    return message === undefined || isTransientThought(message) ? [] : [{ message, entry }]
  })
  return [...front, ...said]
}
