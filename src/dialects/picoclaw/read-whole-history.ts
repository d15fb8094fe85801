import { readWholeContext, type WholeContext } from '../../client/context/read-whole-context.ts'
import { memoOf, memoText } from '../../client/context/system-part.ts'
import { unlessAborted } from '../../client/upkeep/unless-aborted.ts'
import type { Message } from '../../contract/message.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { type HistoryItem, historyItems } from './history-items.ts'

/** The whole history of the head line. */
export interface WholeHistory {
  readonly context: WholeContext
  readonly items: readonly HistoryItem[]
  /** The messages of the items. */
  readonly messages: readonly Message[]
  /** The memo as text for a model. */
  readonly memo: string
}

/** @throws Aborted */
export async function readWholeHistory(
  store: SessionStore,
  key: string,
  signal: AbortSignal | undefined,
): Promise<WholeHistory> {
  const [context, meta] = await Promise.all([
    readWholeContext(store, key, { signal }),
    unlessAborted(store.getMeta(key), signal, 'Reading the context'),
  ])
  const items = historyItems(context.hidden, context.entries)
  return { context, items, messages: items.map(({ message }) => message), memo: memoText(memoOf(meta)) }
}
