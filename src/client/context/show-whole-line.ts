import type { JsonObject } from '../../contract/json.ts'
import type { HiddenPart } from '../../contract/store/session-log.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'

/** More messages than a line has. */
const all = 2 ** 31

/**
 * Makes a model get a whole line again, so that what is cut from it is cut from both views.
 *
 * @param summary - what stays of the summary
 * @throws ParentMoved when the line was compacted since it was looked at
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
