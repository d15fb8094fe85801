import type { JsonObject } from '../../contract/json.ts'
import type { HiddenPart } from '../../contract/store/session-log.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'

/** More messages than any line has. */
const all = 2 ** 31

/**
 * Ends the compaction of a line, so that a cut affects both views.
 *
 * @param summary - the part of the summary that stays
 * @throws ParentMoved when the line was compacted since it was read
 */
export async function showWholeLine(
  store: SessionStore,
  key: string,
  { branch, hidden }: { readonly branch: string; readonly hidden: HiddenPart },
  summary: string,
  details: JsonObject,
): Promise<void> {
  if (hidden.compaction === undefined && hidden.summary === summary) return
  await store.setCompaction(key, { summary, keepLast: all, branch, replaces: hidden.compaction ?? null, details })
}
