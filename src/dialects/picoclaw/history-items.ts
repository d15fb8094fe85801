import type { EntryView } from '../../contract/entry.ts'
import type { Message } from '../../contract/message.ts'
import type { HiddenPart } from '../../contract/store/session-log.ts'
import { modelMessage } from '../../domain/context/model-message.ts'
import { isTransientThought } from '../../domain/transient.ts'

/** A message of a history with its entry; there is none if a compaction put the message in front of the kept part. */
export interface HistoryItem {
  readonly message: Message
  readonly entry?: EntryView
}

/**
 * The history in PicoClaw's sense: the messages that a compaction put in front, then the entries' messages, without
 * transient thoughts.
 */
export function historyItems(hidden: HiddenPart, entries: readonly EntryView[]): readonly HistoryItem[] {
  const front = (hidden.messages ?? []).map((message): HistoryItem => ({ message }))
  const said = entries.flatMap((entry): readonly HistoryItem[] => {
    const message = modelMessage(entry)
    return message === undefined || isTransientThought(message) ? [] : [{ message, entry }]
  })
  return [...front, ...said]
}
