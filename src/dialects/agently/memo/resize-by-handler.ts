import { showWholeLine } from '../../../client/context/show-whole-line.ts'
import { callInTime } from '../../../client/worker/call-in-time.ts'
import type { EntryView } from '../../../contract/entry.ts'
import { SessionError } from '../../../contract/errors.ts'
import type { Message } from '../../../contract/message.ts'
import { isObject } from '../../../domain/is-object.ts'
import type { ResizeHandler, ResizeOptions } from '../memo-types.ts'
import type { ResizeDecision } from '../rules/resize-decision.ts'
import { type MemoLook, turnsIn } from './look-at-session.ts'
import { limitsOf, look, type MemoTools, readFull, requestOf } from './memo-tools.ts'
import { patchMeta } from './patch-meta.ts'
import { messagesOf, readTranscript } from './read-transcript.ts'
import { recordResize } from './record-resize.ts'
import { sameMessages, type ViewWriter, writeCurrent } from './write-current.ts'

/**
 * Resizes with a handler of the app. @returns a function that writes the view; `undefined` when another resize
 * superseded this one, and nothing was done
 */
export async function resizeByHandler(
  handler: ResizeHandler,
  tools: MemoTools,
  seen: MemoLook,
  decision: ResizeDecision,
  options: ResizeOptions,
): Promise<ViewWriter | undefined> {
  const entries = await readFull(tools, seen, options)
  const full = messagesOf(entries)
  const made: unknown = await callInTime((signal) => handler({ ...requestOf(seen, full, signal), decision }), {
    what: `The resize handler "${decision.type}"`,
    ...limitsOf(tools, options),
  })
  if (!isObject(made))
    throw new TypeError(
      `The resize handler "${decision.type}" returned ${String(made)}. It must return an object { full, current, memo }, in which absent parts stay as they are.`,
    )
  const result = made as {
    readonly full?: readonly Message[]
    readonly current?: readonly Message[]
    readonly memo?: unknown
  }
  const memo = 'memo' in result ? (isObject(result.memo) ? result.memo : {}) : seen.memo
  // If the view was replaced in the meantime, the handler's result is discarded, because it would undo that.
  const { hidden } = await tools.store.read(tools.key, { branch: seen.branch, view: 'context', last: 1 })
  if (
    hidden?.compaction !== seen.hidden.compaction ||
    (await recordResize(tools, seen, memo, {}, decision)) !== 'written'
  )
    return undefined
  const views = {
    current: result.current ?? seen.current,
    ...(result.full === undefined || sameMessages(full, result.full) ? {} : { full: result.full }),
  }
  return createViewWriter(tools, seen, entries, views, decision)
}

/**
 * Makes a function that writes the views of a handler, followed by entries that arrived in the meantime. It may be
 * called again after a conflict. The handler is not, because memo and counters already have its result.
 */
function createViewWriter(
  tools: MemoTools,
  seen: MemoLook,
  entries: readonly EntryView[],
  views: { readonly full?: readonly Message[]; readonly current: readonly Message[] },
  decision: ResizeDecision,
): ViewWriter {
  const { store, key } = tools
  let { full, current } = views
  let known = new Set(entries.map(({ id }) => id))
  return async (now) => {
    const line = now === seen ? entries : await readFull(tools, now, {})
    const there = new Set(line.map(({ id }) => id))
    // If some of the entries were cut, or another line became the head, that is not undone.
    if ([...known].some((id) => !there.has(id))) return
    if (full === undefined)
      return writeCurrent(
        store,
        key,
        now,
        [...current, ...messagesOf(line.filter(({ id }) => !known.has(id)))],
        decision,
        line,
      )
    const { arrived, after } = await replaceFull(tools, now, known, full, seen, decision)
    current = [...current, ...arrived]
    known = new Set((await readFull(tools, after, {})).map(({ id }) => id))
    full = undefined
    await writeCurrent(store, key, after, current, decision)
  }
}

/** Replaces the history of the line, and appends the entries that arrived since the handler was called. */
async function replaceFull(
  tools: MemoTools,
  now: MemoLook,
  known: ReadonlySet<string>,
  full: readonly Message[],
  seen: MemoLook,
  decision: ResizeDecision,
): Promise<{ readonly arrived: readonly Message[]; readonly after: MemoLook }> {
  const { store, key } = tools
  await showWholeLine(store, key, now, now.hidden.summary, { by: 'resize', type: decision.type })
  const { entries, branch } = await readTranscript(store, key)
  if (branch !== now.branch)
    throw new SessionError('ParentMoved', 'Another line became the head while the history was resized.')
  const arrived = entries.filter(({ id }) => !known.has(id))
  await store.setHistory(key, [...full, ...messagesOf(arrived)], { keepThoughts: true })
  const after = await look(tools, {})
  // The handler's messages count neither as new turns nor as new to the memo, if that had all of the messages before.
  const memoCursor = seen.state.memoCursor < seen.end ? seen.state.memoCursor : after.end
  await tools.inTurn(() =>
    patchMeta(store, key, ({ contextState }) => ({
      contextState: { ...contextState, turns: seen.turns + turnsIn(arrived), at: after.end, memoCursor },
    })),
  )
  return { arrived: messagesOf(arrived), after }
}
