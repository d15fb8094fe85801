import type { EntryView } from '../../../contract/entry.ts'
import { SessionError } from '../../../contract/errors.ts'
import type { SourceFile } from '../../../contract/job.ts'
import type { View } from '../../../contract/store/session-log.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import { goJson } from '../../../formats/go-json.ts'
import { readView } from '../../../formats/read-view.ts'
import type { Breather } from '../../../pacing/breather.ts'
import { picoClawLines } from './picoclaw-message.ts'
import { picoClawMeta } from './picoclaw-meta.ts'

/** The part of a store that an export needs. */
export type ExportStore = Pick<SessionStore, 'read' | 'getMeta' | 'getSummary' | 'resolveSessionKey' | 'listSessions'>

/**
 * Writes the files of one session: the messages of its current line. Messages before the first one that a model still
 * gets are hidden with `skip`. Other hidden or removed messages are left out, because PicoClaw can hide only the first
 * ones. Without messages there is no log.
 *
 * @param name - of the files, without their endings
 * @throws SessionNotFound, Aborted
 */
export async function* writeSession(
  store: ExportStore,
  key: string,
  name: string,
  { breathe, signal }: { readonly breathe: Breather; readonly signal: AbortSignal | undefined },
): AsyncGenerator<SourceFile, void, undefined> {
  const meta = await store.getMeta(key)
  if (meta === undefined || meta.deletedAt !== undefined)
    throw new SessionError(
      'SessionNotFound',
      `There is no session "${key}" to export. See listSessions() for the existing sessions.`,
    )
  const { head } = meta
  const read = (view: View) => readView(store, key, { branch: head, view, signal })
  const shown = new Set<string>()
  for await (const view of read('context')) shown.add(placeOf(view))
  const listed = new Set<string>()
  for await (const view of read('transcript')) listed.add(placeOf(view))
  const parts: string[] = []
  let hidden = 0
  let count = 0
  for await (const view of read('raw')) {
    const lines = view.message === undefined ? [] : picoClawLines(view)
    if (lines.length === 0) continue
    const isShown = shown.has(placeOf(view))
    // Only messages before all visible ones can be skipped. Removed messages must not be exported; an edited message
    // that isn't listed may be a removed one.
    const isRemoved = view.edit !== undefined && !listed.has(placeOf(view)) && !isShown
    if (isRemoved || (!isShown && count > hidden)) continue
    if (!isShown) hidden += lines.length
    count += lines.length
    for (const line of lines) parts.push(`${goJson(line)}\n`)
    const pause = breathe()
    if (pause !== undefined) await pause
  }
  if (count > 0) yield { path: `${name}.jsonl`, blob: new Blob(parts, { type: 'application/jsonl' }) }
  const said = picoClawMeta(meta, await store.getSummary(key), hidden, count)
  yield { path: `${name}.meta.json`, blob: new Blob([goJson(said, 2)], { type: 'application/json' }) }
}

function placeOf({ branch, order }: EntryView): string {
  return `${branch} ${order}`
}
