import { callInTime } from '../../../client/worker/call-in-time.ts'
import { isSessionError, SessionError } from '../../../contract/errors.ts'
import type { JsonObject } from '../../../contract/json.ts'
import type { Message } from '../../../contract/message.ts'
import type { ResizeOptions } from '../memo-types.ts'
import { chunkMessages } from '../rules/chunk-messages.ts'
import { judgeByDefault } from '../rules/judge-by-default.ts'
import { pruneMessages } from '../rules/prune-messages.ts'
import { forcedDecision, type ResizeDecision, readPolicyResult } from '../rules/resize-decision.ts'
import { judgeUnread } from './judge-unread.ts'
import type { MemoLook } from './look-at-session.ts'
import { limitsOf, look, type MemoTools, readFull, requestOf } from './memo-tools.ts'
import { messagesOf } from './read-transcript.ts'
import { recordResize } from './record-resize.ts'
import { resizeByHandler } from './resize-by-handler.ts'
import { updateMemo } from './update-memo.ts'
import { type ViewWriter, writeCurrent } from './write-current.ts'

/** How often a resize is tried again after a conflict with another one. */
const mostLooks = 4

/** What a memo session would do now. */
export async function judgeSession(
  tools: MemoTools,
  force: string | boolean,
  options: ResizeOptions,
): Promise<ResizeDecision | null> {
  if (force !== false && force !== '') return forcedDecision(force)
  if (tools.policy === undefined) return judgeUnread(tools, options)
  return judge(tools, await look(tools, options), force, options)
}

/** Reduces the current view if the policy says so. @returns the current view */
export async function runResize(
  tools: MemoTools,
  force: string | boolean,
  options: ResizeOptions,
): Promise<readonly Message[]> {
  /** Set once memo and counters are written and only the view remains. */
  let writeView: ViewWriter | undefined
  for (let looks = 1; ; looks += 1) {
    const seen = await look(tools, options)
    // The resizes that conflicted each time have reduced the view already.
    if (looks > mostLooks) return seen.current
    try {
      if (writeView === undefined) {
        const decision = await judge(tools, seen, force, options)
        // A resize does not create a missing session.
        if (decision === null || seen.place === 'unknown') return seen.current
        if (seen.place === 'deleted')
          throw new SessionError(
            'SessionNotFound',
            `Session "${tools.key}" was deleted. Undelete it before you resize it.`,
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
            : await resizeByHandler(handler, tools, seen, decision, options)
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

/**
 * Resizes with the default handlers. @returns a function that writes the view; `undefined` when another resize
 * superseded this one, and nothing was done
 */
async function resizeByDefault(
  tools: MemoTools,
  seen: MemoLook,
  decision: ResizeDecision,
  options: ResizeOptions,
): Promise<ViewWriter | undefined> {
  const isLeft = seen.rules.isMemoOn && tools.isMemoLeft && tools.memoUpdate === undefined && tools.model === undefined
  const memo = seen.rules.isMemoOn && !isLeft ? await rememberByDefault(tools, seen, decision, options) : seen.memo
  // If another tab has just resized the same part, its memo has everything, and only the view may still be unwritten.
  if ((await recordResize(tools, seen, memo, isLeft ? {} : { memoCursor: seen.end }, decision)) === 'changed')
    return undefined
  return (now) => writeCurrent(tools.store, tools.key, now, pruneMessages(now.current, now.rules), decision)
}

/** Adds messages to the memo. Lite: those that are not in it yet. Deep: the whole history, part by part. */
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
