import { callInTime, type TimedCallOptions } from '../../../client/worker/call-in-time.ts'
import { SessionError } from '../../../contract/errors.ts'
import type { JsonObject, JsonValue } from '../../../contract/json.ts'
import type { Message } from '../../../contract/message.ts'
import { isObject } from '../../../domain/is-object.ts'
import { pushAll } from '../../../domain/push-all.ts'
import { createBreather } from '../../../pacing/breather.ts'
import type { AttachmentSummaryHandler, MemoModel, MemoUpdateHandler } from '../memo-types.ts'
import type { MemoRules } from '../rules/memo-settings.ts'
import type { MemoSettings } from '../rules/memo-state.ts'
import { summariseAttachments } from '../rules/summarise-attachments.ts'

/** How long a call of the app's functions may take. */
export type CallLimits = Omit<TimedCallOptions, 'what'>

/** The functions that update a memo. */
export interface MemoUpdaters {
  readonly attachmentSummary?: AttachmentSummaryHandler | undefined
  readonly memoUpdate?: MemoUpdateHandler | undefined
  readonly model?: MemoModel | undefined
}

/**
 * Adds messages to a memo.
 *
 * @returns the new memo; the old one when the result is not an object
 * @throws HandlerMissing when there is neither a model nor a handler
 */
export async function updateMemo(
  memo: JsonObject,
  messages: readonly Message[],
  {
    attachmentSummary = ({ message }) => summariseAttachments(message) as readonly unknown[] as readonly JsonValue[],
    memoUpdate,
    model,
  }: MemoUpdaters,
  { settings, rules }: { readonly settings: MemoSettings; readonly rules: MemoRules },
  limits: CallLimits,
): Promise<JsonObject> {
  if (memoUpdate === undefined && model === undefined) {
    throw new SessionError(
      'HandlerMissing',
      'The memo is on, but nothing can update it. Give the memo session a model or a memoUpdateHandler, or turn the memo off (useLite).',
    )
  }
  const attachments: JsonValue[] = []
  // A summary that is ready at once leaves no room for other tasks.
  const breathe = createBreather()
  for (const message of messages) {
    const pause = breathe()
    if (pause !== undefined) await pause
    const found: unknown = await callInTime((signal) => attachmentSummary({ message, signal }), {
      what: 'The attachment summary',
      ...limits,
    })
    if (Array.isArray(found)) pushAll(attachments, found as readonly JsonValue[])
  }
  const updated = await callInTime(
    async (signal) => {
      if (memoUpdate !== undefined) return memoUpdate({ memo, messages, attachments, settings, signal })
      const answer = await model!({ current_memo: memo, messages, attachments, instruct: rules.instruct, signal })
      return isObject(answer) && isObject(answer['memo']) ? answer['memo'] : answer
    },
    { what: 'The memo update', ...limits },
  )
  return isObject(updated) ? updated : memo
}
