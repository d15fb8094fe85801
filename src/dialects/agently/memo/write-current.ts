import { basisOf } from '../../../client/context/basis-of.ts'
import type { EntryView } from '../../../contract/entry.ts'
import type { JsonObject } from '../../../contract/json.ts'
import type { Message } from '../../../contract/message.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import { canonicalJson } from '../../../domain/canonical-json.ts'
import type { ResizeDecision } from '../rules/resize-decision.ts'
import type { MemoLook } from './look-at-session.ts'

const pageSize = 256

/**
 * Writes the views that result from a resize. @param now - the current state of the line @throws ParentMoved when the
 * line was compacted since that state was read
 */
export type ViewWriter = (now: MemoLook) => Promise<void>

/**
 * Makes a model get these messages, followed by entries that arrived since the line was read. Those messages at their
 * end that are in the log are kept by position; the messages before them are stored in the compaction. Nothing is
 * written when a model gets these messages already.
 *
 * @param seen - entries that were read in addition to those of the current view
 * @throws ParentMoved when the line was compacted since it was read
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
  const start =
    first === undefined ? look.entries.length : look.entries.findLastIndex(({ order }) => order < first.order) + 1
  // Hidden entries become visible again only by a compaction that covers everything known.
  const comesBack = look.entries.slice(start).filter(({ message }) => message !== undefined).length < count
  await store.setCompaction(key, {
    // The earlier summary stays.
    summary: look.hidden.summary,
    ...(messages.length === 0 ? {} : { messages }),
    ...(first === undefined ? { keepLast: 0 } : { firstKept: { branch: first.branch, order: first.order } }),
    branch: look.branch,
    replaces: look.hidden.compaction ?? null,
    ...(comesBack ? {} : { ...(await basisOf(look, look.entries.slice(0, start), look.entries.concat(seen))) }),
    details: { by: 'resize', type, ...(reason === undefined ? {} : { reason }) },
  })
}

export function sameMessages(a: readonly Message[], b: readonly Message[]): boolean {
  return a.length === b.length && a.every((message, i) => message === b[i] || text(message) === text(b[i]!))
}

/**
 * Counts how many of the wanted messages, from the end on, match the end of the full view, and finds the first of them
 * there.
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
      // Entries that arrived since the line was read stay after the rest.
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
