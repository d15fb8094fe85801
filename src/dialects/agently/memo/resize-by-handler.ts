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
 * A resize by a handler of the app. @returns what is left to do; `undefined` when another resize superseded it, and
 * nothing was done
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
      `The resize handler "${decision.type}" gave ${String(made)}. It gives { full, current, memo }; what is absent stays as it is.`,
    )
  const result = made as {
    readonly full?: readonly Message[]
    readonly current?: readonly Message[]
    readonly memo?: unknown
  }
  const memo = 'memo' in result ? (isObject(result.memo) ? result.memo : {}) : seen.memo
  // What the handler made of a view that another one has taken its place would undo that.
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
 * Writes what a handler made, and keeps what came since behind it. The handler is not asked twice: memo and counters
 * have its result.
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
    // Where some of it was cleared, or another line became the head, that is not undone.
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

/** Puts another history in the place of the line, and what came since the handler's look behind it. */
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
    throw new SessionError('ParentMoved', 'Another line has become the head while the history was resized.')
  const arrived = entries.filter(({ id }) => !known.has(id))
  await store.setHistory(key, [...full, ...messagesOf(arrived)], { keepThoughts: true })
  const after = await look(tools, {})
  // What the handler made is neither new turns nor new to the memo, where that knew the whole.
  const memoCursor = seen.state.memoCursor < seen.end ? seen.state.memoCursor : after.end
  await tools.inTurn(() =>
    patchMeta(store, key, ({ contextState }) => ({
      contextState: { ...contextState, turns: seen.turns + turnsIn(arrived), at: after.end, memoCursor },
    })),
  )
  return { arrived: messagesOf(arrived), after }
}
