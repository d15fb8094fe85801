import { basisOf } from '../../../client/context/basis-of.ts'
import type { EntryView } from '../../../contract/entry.ts'
import type { JsonObject } from '../../../contract/json.ts'
import type { Message } from '../../../contract/message.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import { canonicalJson } from '../../../domain/canonical-json.ts'
import { coveringVector } from '../../../domain/covering-vector.ts'
import type { ResizeDecision } from '../rules/resize-decision.ts'
import type { MemoLook } from './look-at-session.ts'

const pageSize = 256

/**
 * Writes the views that a resize came to, on the line as it is by then. @throws ParentMoved when it was compacted since
 * that look
 */
export type ViewWriter = (now: MemoLook) => Promise<void>

/**
 * Makes a model get these messages of the line, and what came since the look. Its end that is in the log stays there,
 * by position; what stands before that is kept beside the log. Nothing is written when a model gets them already.
 *
 * @param seen - entries that were looked at besides those of the current view
 * @throws ParentMoved when the line was compacted since the look
 */
export async function writeCurrent(
  store: SessionStore,
  key: string,
  look: MemoLook,
  wanted: readonly Message[],
  { type, reason }: ResizeDecision,
  seen: readonly EntryView[] = [],
): Promise<void> {
  if (sameMessages(look.current, wanted)) return
  const { first, count } = await findEnd(store, key, look, wanted.map(text))
  const messages = wanted.slice(0, wanted.length - count)
  // What was hidden comes back only by a compaction that stands for all that is known.
  const comesBack =
    first !== undefined &&
    look.entries.filter(({ message, order }) => message !== undefined && order >= first.order).length < count
  await store.setCompaction(key, {
    // What was summarised before stays so.
    summary: look.hidden.summary,
    ...(messages.length === 0 ? {} : { messages }),
    ...(first === undefined ? { keepLast: 0 } : { firstKept: { branch: first.branch, order: first.order } }),
    branch: look.branch,
    replaces: look.hidden.compaction ?? null,
    ...(comesBack
      ? {}
      : {
          ...basisOf(
            look,
            look.entries.filter(({ order }) => first === undefined || order < first.order),
          ),
          covers: coveringVector([...look.entries, ...seen]),
        }),
    details: { by: 'resize', type, ...(reason === undefined ? {} : { reason }) },
  })
}

export function sameMessages(a: readonly Message[], b: readonly Message[]): boolean {
  return a.length === b.length && a.every((message, i) => message === b[i] || text(message) === text(b[i]!))
}

/**
 * How many of the wanted messages, counted from the end, are the end of the full view, and the first of those there.
 */
async function findEnd(
  store: SessionStore,
  key: string,
  { branch, end }: MemoLook,
  wanted: readonly string[],
): Promise<{ readonly first?: EntryView; readonly count: number }> {
  let found: { first?: EntryView; count: number } = { count: 0 }
  let before: string | undefined
  while (found.count < wanted.length) {
    const page = await store.read(key, {
      branch,
      ...(before === undefined ? { last: pageSize } : { before, limit: pageSize }),
    })
    for (const entry of [...page.entries].reverse()) {
      // What came since the look stays behind the rest.
      if (entry.message === undefined || entry.order > end) continue
      if (found.count === wanted.length || text(entry.message) !== wanted[wanted.length - 1 - found.count]) return found
      found = { first: entry, count: found.count + 1 }
    }
    if (!page.more) break
    before = page.entries[0]!.order
  }
  return found
}

const text = (message: Message): string => canonicalJson(message as unknown as JsonObject)
