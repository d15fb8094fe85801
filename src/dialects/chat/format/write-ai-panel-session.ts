import type { Entry } from '../../../contract/entry.ts'
import type { JsonObject } from '../../../contract/json.ts'
import type { Message } from '../../../contract/message.ts'
import type { SessionMeta } from '../../../contract/meta.ts'
import { type FoldedEntry, foldView } from '../../../domain/fold.ts'
import { lineOf } from '../../../domain/line.ts'
import { summaryOf } from '../../../domain/summary.ts'
import { estimateTokens } from '../../../domain/tokens.ts'
import { utf8Length } from '../../../domain/utf8.ts'
import { covers } from '../../../domain/version-vector.ts'
import { sayInContent } from '../../../formats/say-in-content.ts'
import { visibleTree } from '../../../formats/visible-tree.ts'

/** A session in the form in which ai-panel stores it. */
export interface AiPanelSession {
  readonly lines: readonly JsonObject[]
  /** The number of messages of users and assistants, which ai-panel's index contains. */
  readonly messageCount: number
}

/** A message on the line, with its id in the log. */
interface Numbered {
  readonly entry: FoldedEntry
  readonly message: Message
  readonly id: string
}

/**
 * Converts the current line of a session to a log of ai-panel: header, messages with ids `msg-<n>`, and compactions
 * that name one of them. The part that a compaction keeps begins with a user's message, so that an answer is not
 * separated from its question. So it may be a little longer than here. A summary that is in no compaction on the line
 * becomes a compaction at the end.
 */
export function aiPanelSession(meta: SessionMeta, agentId: string, entries: readonly Entry[]): AiPanelSession {
  const tree = visibleTree(entries)
  const parents = new Map(tree.nodes.map(({ entry, parent }) => [entry, parent]))
  const path: FoldedEntry[] = []
  for (let at = tree.leaf; at !== undefined; at = parents.get(at)) path.push(at)
  const messages: Numbered[] = []
  const lines: JsonObject[] = [{ type: 'session', version: 3, agentId, createdAt: meta.createdAt }]
  let said: string | undefined
  for (const entry of path.reverse()) {
    if (entry.type === 'compaction') {
      const first = messages.findIndex(
        ({ entry: row }) =>
          !(
            row.order <= (entry.data['order'] as string) &&
            covers(entry.data['vv'] as Record<string, number>, row.w, row.s)
          ),
      )
      lines.push(compactionLine(entry.data, entry.at, messages, first))
      said = entry.data['summary'] as string
    }
    if (entry.type !== 'message') continue
    const {
      message: stored,
      mid: _,
      timestamp: __,
      ...more
    } = entry.edit?.value ? { ...entry.data, ...entry.edit.value } : entry.data
    const message = sayInContent(stored as unknown as Message)
    const { role, content, ...rest } = message as JsonObject
    const id = `msg-${messages.length + 1}`
    messages.push({ entry, message, id })
    lines.push({
      type: 'message',
      id,
      message: { role: role!, content: content ?? '', ...rest },
      ...(entry.at > 0 ? { timestamp: entry.at } : {}),
      ...more,
    })
  }
  const { fold } = tree
  const line = lineOf(fold.cold, fold.head)
  const summary = line === undefined ? '' : summaryOf(fold.cold, line)
  if (summary.trim() !== '' && summary !== said) {
    const shown = new Set(foldView(fold, fold.head, 'context').map(({ order }) => order))
    lines.push(
      compactionLine(
        { summary },
        meta.updatedAt,
        messages,
        messages.findIndex(({ entry }) => shown.has(entry.order)),
      ),
    )
  }
  return {
    lines,
    messageCount: messages.filter(({ message: { role } }) => role === 'user' || role === 'assistant').length,
  }
}

/** @param first - index of the first message that stays; −1 when none does: then the next message is named */
function compactionLine(
  { summary, tokensBefore, tokensAfter }: JsonObject,
  at: number,
  messages: readonly Numbered[],
  first: number,
): JsonObject {
  const user = first < 0 ? -1 : messages.findLastIndex(({ message }, i) => i <= first && message.role === 'user')
  const from = first < 0 ? messages.length : user < 0 ? first : user
  const tokens = (from: number): number =>
    messages.slice(from).reduce((sum, { message }) => sum + estimateTokens(message), 0)
  return {
    type: 'compaction',
    summary: summary!,
    firstKeptEntryId: `msg-${from + 1}`,
    tokensBefore: tokensBefore ?? tokens(0),
    tokensAfter: tokensAfter ?? Math.floor(utf8Length(summary as string) / 4) + tokens(from),
    ...(at > 0 ? { timestamp: at } : {}),
  }
}
