import { isSameBasis } from '../../client/context/fold-context.ts'
import { unlessAborted } from '../../client/upkeep/unless-aborted.ts'
import type { EntryPage, HiddenPart } from '../../contract/store/session-log.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { turnStarts } from '../../domain/context/turn-starts.ts'
import { type HistoryItem, historyItems } from './history-items.ts'
import { outgoingHistory } from './outgoing-history.ts'
import type { BudgetTokens } from './rules/budget-tokens.ts'

const noFront: HiddenPart = { summary: '' }
const pageSize = 256
/** How often reading starts again when the session is compacted in the meantime. */
const restarts = 4

/** The end of a history, which is at least as long as there is room for. */
export interface NewestHistory {
  readonly items: readonly HistoryItem[]
  readonly hidden: HiddenPart
  readonly branch: string
  /** The number of messages before it. */
  readonly before: number
}

/** Reads the head line from its end, until its whole turns are more than there is room for. @throws Aborted */
export async function readNewestHistory(
  store: SessionStore,
  key: string,
  tokens: BudgetTokens,
  signal?: AbortSignal,
): Promise<NewestHistory> {
  for (let tries = 0; ; tries++) {
    const found = await readOnce(store, key, tokens, tries === restarts, signal)
    if (found !== undefined) return found
  }
}

/** @returns `undefined` when the session was compacted in the meantime, unless this is the last try */
async function readOnce(
  store: SessionStore,
  key: string,
  tokens: BudgetTokens,
  isLast: boolean,
  signal?: AbortSignal,
): Promise<NewestHistory | undefined> {
  const read = (
    options: { readonly last: number } | { readonly before: string; readonly limit: number; readonly branch: string },
  ): Promise<EntryPage> =>
    unlessAborted(store.read(key, { ...options, view: 'context' }), signal, 'Reading the context')
  const newest = await read({ last: pageSize })
  const { branch, hidden = noFront, total = 0 } = newest
  let items: readonly HistoryItem[] = []
  for (let page = newest; ; ) {
    items = [...historyItems(noFront, page.entries), ...items]
    const first = page.entries[0]
    if (!page.more || first === undefined)
      return { items: [...historyItems(hidden, []), ...items], hidden, branch, before: 0 }
    if (isEnough(items, tokens))
      return { items, hidden, branch, before: Math.max(total + (hidden.messages?.length ?? 0) - items.length, 1) }
    page = await read({ before: first.order, limit: pageSize, branch })
    if (!isLast && !isSameBasis(hidden, page.hidden ?? noFront)) return undefined
  }
}

/** Whether the whole turns are more than there is room for, so that earlier messages need not be read. */
function isEnough(items: readonly HistoryItem[], tokens: BudgetTokens): boolean {
  const messages = items.map(({ message }) => message)
  // Pairing calls and results for each page would be expensive. The messages to send are never more than these.
  if (tokens.of(messages) <= tokens.room) return false
  return tokens.of(outgoingHistory(messages.slice(turnStarts(messages)[0] ?? messages.length))) > tokens.room
}
