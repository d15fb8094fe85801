import { showWholeLine } from '../../../client/context/show-whole-line.ts'
import { callInTime } from '../../../client/worker/call-in-time.ts'
import type { EntryView } from '../../../contract/entry.ts'
import { isSessionError, SessionError } from '../../../contract/errors.ts'
import type { JsonObject } from '../../../contract/json.ts'
import type { Message } from '../../../contract/message.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import { canonicalJson } from '../../../domain/canonical-json.ts'
import { isObject } from '../../../domain/is-object.ts'
import type { PolicyHandler, PolicyRequest, ResizeHandler, ResizeOptions } from '../memo-types.ts'
import { chunkMessages } from '../rules/chunk-messages.ts'
import { judgeByDefault } from '../rules/judge-by-default.ts'
import type { MemoSettings, MemoState } from '../rules/memo-state.ts'
import { pruneMessages } from '../rules/prune-messages.ts'
import { forcedDecision, type ResizeDecision, readPolicyResult } from '../rules/resize-decision.ts'
import type { ChangeInTurn } from './change-in-turn.ts'
import { lookAtSession, type MemoLook, type MemoMeta, turnsIn } from './look-at-session.ts'
import { patchMeta } from './patch-meta.ts'
import { messagesOf, readTranscript } from './read-transcript.ts'
import { type CallLimits, type MemoUpdaters, updateMemo } from './update-memo.ts'
import { sameMessages, writeCurrent } from './write-current.ts'

/** What a memo session resizes with. */
export interface MemoTools extends MemoUpdaters {
  readonly store: SessionStore
  readonly key: string
  readonly parent: MemoSettings
  /** Where nobody can update the memo, leave it, rather than fail. */
  readonly isMemoLeft: boolean
  readonly timeoutMs: number
  readonly policy?: PolicyHandler | undefined
  handlerOf(type: string): ResizeHandler | 'default' | undefined
  readonly inTurn: ChangeInTurn
}

/** How often the line is looked at again when somebody else resized it meanwhile. */
const mostLooks = 4

/** What a memo session would do now. */
export async function judgeSession(
  tools: MemoTools,
  force: string | boolean,
  options: ResizeOptions,
): Promise<ResizeDecision | null> {
  return judge(tools, await look(tools, options), force, options)
}

/** Makes the current view smaller where that is due. @returns the current view */
export async function runResize(
  tools: MemoTools,
  force: string | boolean,
  options: ResizeOptions,
): Promise<readonly Message[]> {
  /** Set once memo and counters are written, and only the view is left. */
  let writeView: ViewWriter | undefined
  for (let looks = 1; ; looks += 1) {
    const seen = await look(tools, options)
    // Whoever resized it each time in between has made it as small as it shall be.
    if (looks > mostLooks) return seen.current
    try {
      if (writeView === undefined) {
        const decision = await judge(tools, seen, force, options)
        // A session that is not there is not made by making it smaller.
        if (decision === null || seen.place === 'unknown') return seen.current
        if (seen.place === 'deleted')
          throw new SessionError(
            'SessionNotFound',
            `Session "${tools.key}" was deleted. Undelete it before it is resized.`,
          )
        const handler = tools.handlerOf(decision.type)
        if (handler === undefined)
          throw new SessionError(
            'HandlerMissing',
            `Missing resize handler for type: ${decision.type}. Set one with setResizeHandlers("${decision.type}", …).`,
          )
        writeView =
          handler === 'default'
            ? await resizeByDefault(tools, seen, decision, options)
            : await resizeBy(handler, tools, seen, decision, options)
        if (writeView === undefined) continue
      }
      await writeView(seen)
      break
    } catch (error) {
      if (!isSessionError(error, 'ParentMoved')) throw error
    }
  }
  return (await look(tools, options)).current
}

/**
 * Writes the views that a resize came to, on the line as it is by then. @throws ParentMoved when it was compacted since
 * that look
 */
type ViewWriter = (now: MemoLook) => Promise<void>

async function look({ store, key, parent }: MemoTools, { signal, chars }: ResizeOptions): Promise<MemoLook> {
  const seen = await lookAtSession(store, key, parent, signal)
  return chars === undefined ? seen : { ...seen, rules: { ...seen.rules, chars } }
}

async function judge(
  tools: MemoTools,
  seen: MemoLook,
  force: string | boolean,
  options: ResizeOptions,
): Promise<ResizeDecision | null> {
  if (force !== false && force !== '') return forcedDecision(force)
  const { policy } = tools
  if (policy === undefined) return judgeByDefault(seen.current, seen.turns - seen.state.lastResizeTurn, seen.rules)
  const full = await readFull(tools, seen, options)
  return readPolicyResult(
    await callInTime((signal) => policy(requestOf(seen, messagesOf(full), signal)), {
      what: 'The policy',
      ...limitsOf(tools, options),
    }),
  )
}

function requestOf(
  { current, memo, settings, turns, state: { lastResizeTurn } }: MemoLook,
  full: readonly Message[],
  signal: AbortSignal,
): PolicyRequest {
  return { full, current, memo, settings, turns, lastResizeTurn, signal }
}

/** The full view as it was looked at: what came since is for the next resize. */
async function readFull(
  { store, key }: MemoTools,
  { branch, end }: MemoLook,
  { signal }: ResizeOptions,
): Promise<readonly EntryView[]> {
  return (await readTranscript(store, key, { branch, signal })).entries.filter(({ order }) => order <= end)
}

const limitsOf = ({ timeoutMs }: MemoTools, { signal }: ResizeOptions): CallLimits => ({ signal, timeoutMs })

/**
 * A resize by the default handlers. @returns what is left to do; `undefined` when it was overtaken, and nothing was
 * done
 */
async function resizeByDefault(
  tools: MemoTools,
  seen: MemoLook,
  decision: ResizeDecision,
  options: ResizeOptions,
): Promise<ViewWriter | undefined> {
  const isLeft = seen.rules.isMemoOn && tools.isMemoLeft && tools.memoUpdate === undefined && tools.model === undefined
  const memo = seen.rules.isMemoOn && !isLeft ? await rememberByDefault(tools, seen, decision, options) : seen.memo
  // Where another tab has just resized the same, its memo has it all, and only the view may be left to do.
  if ((await writeMeta(tools, seen, memo, isLeft ? {} : { memoCursor: seen.end }, decision)) === 'changed')
    return undefined
  return (now) => writeCurrent(tools.store, tools.key, now, pruneMessages(now.current, now.rules), decision)
}

/** Lite: what the memo has not taken in. Deep: the whole history, part by part. */
async function rememberByDefault(
  tools: MemoTools,
  seen: MemoLook,
  { type }: ResizeDecision,
  options: ResizeOptions,
): Promise<JsonObject> {
  const isDeep = type === 'deep'
  const messages = messagesOf(isDeep ? await readFull(tools, seen, options) : seen.fresh)
  let { memo } = seen
  for (const part of isDeep ? chunkMessages(messages, seen.rules.chars) : messages.length === 0 ? [] : [messages]) {
    memo = await updateMemo(memo, part, tools, seen, limitsOf(tools, options))
  }
  return memo
}

/**
 * Writes memo and counters, both at once.
 *
 * @returns `resized`: another tab has resized up to where this one looked; `changed`: it, or the app, has written
 *   something else
 */
async function writeMeta(
  { store, key, inTurn }: MemoTools,
  seen: MemoLook,
  memo: JsonObject,
  cursor: Partial<MemoState>,
  { type, reason }: ResizeDecision,
): Promise<'written' | 'resized' | 'changed'> {
  const { turns } = seen
  let other: 'resized' | 'changed' = 'changed'
  const isWritten = await inTurn(() =>
    patchMeta(store, key, (now) => {
      other = now.state.at >= seen.end && now.state.at !== seen.state.at ? 'resized' : 'changed'
      if (fingerprint(now) !== fingerprint(seen)) return undefined
      const contextState = { ...now.contextState, turns, at: seen.end, lastResizeTurn: turns, ...cursor }
      return { memo: { ...memo, last_resize: { type, turn: turns, reason: reason ?? `${type}_resize` } }, contextState }
    }),
  )
  return isWritten ? 'written' : other
}

/** What a resize builds on. Settings aren't: they may be changed while a model thinks. */
function fingerprint({
  memo,
  state: { turns, at, lastResizeTurn, memoCursor },
}: Pick<MemoMeta, 'memo' | 'state'>): string {
  return canonicalJson({ memo, turns, at, lastResizeTurn, memoCursor })
}

/**
 * A resize by a handler of the app. @returns what is left to do; `undefined` when it was overtaken, and nothing was
 * done
 */
async function resizeBy(
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
  if (hidden?.compaction !== seen.hidden.compaction || (await writeMeta(tools, seen, memo, {}, decision)) !== 'written')
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
