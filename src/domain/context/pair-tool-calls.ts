import type { Message } from '../../contract/message.ts'
import { toolPart } from '../tool-part.ts'
import { hasSubstance } from './has-substance.ts'
import { isPlain, type Matches, matchResults, resultField } from './match-results.ts'

/**
 * Makes a history in which every tool call has its result and every result its call, in every dialect; a provider would
 * refuse it otherwise. When calls are in `tool_calls`, a message that lacks a result is left out with its block
 * (PicoClaw), except for the text of a reply marked `interrupted`. When calls are parts, the part is taken out, and the
 * message stays if it has other content. Results without a call, and second results, are taken out. Everything else
 * stays as it is, including system messages, and correct messages are the same objects. Takes any shape and never
 * throws.
 *
 * @returns the same list when nothing was wrong
 */
export function pairToolCalls<M extends Message>(messages: readonly M[]): readonly M[] {
  for (let paired = messages; ; ) {
    const next = pairOnce(paired)
    if (next === paired) return paired
    // A message that was left out may have held the result of an earlier call.
    paired = next
  }
}

function pairOnce<M extends Message>(messages: readonly M[]): readonly M[] {
  const matches = matchResults(messages)
  const approvals = new Set<unknown>()
  const kept = messages.map((message, i) => withPairs(message, matches[i]!, approvals))
  return kept.every((message, i) => message === messages[i])
    ? messages
    : kept.filter((message) => message !== undefined)
}

/** A message without its unpaired parts; `undefined` when nothing is left. */
function withPairs<M extends Message>(message: M, { calls, results }: Matches, approvals: Set<unknown>): M | undefined {
  if (isPlain(message)) return message
  const { role, tool_calls: listed } = message
  if (
    Array.isArray(listed) &&
    !areAllIn(
      listed.map((call) => (call as { readonly id?: unknown } | null)?.id),
      calls,
    )
  )
    return withoutCalls(message)
  const answered = resultField(message)
  if (answered !== undefined && !results.has(answered as string)) return undefined

  const keep = createPartFilter(calls, results, approvals)
  const content = filtered(message.content, keep)
  const parts = filtered(message['parts'], keep)
  // A message of this role has only results.
  if (role === 'tool' && answered === undefined && !keep.hasAnswer()) return undefined
  if (content === message.content && parts === message['parts']) return message
  const left = { ...message, ...(content === undefined ? {} : { content }), ...(parts === undefined ? {} : { parts }) }
  return answered !== undefined || hasSubstance(left) ? left : undefined
}

/** Keeps the text of a reply that was cut off. @returns `undefined` for any other message, and when nothing is left */
function withoutCalls<M extends Message>(message: M): M | undefined {
  if (message['interrupted'] !== true) return undefined
  const { tool_calls: _, ...left } = message
  return hasSubstance(left as unknown as M) ? (left as unknown as M) : undefined
}

const areAllIn = (ids: readonly unknown[], known: ReadonlySet<unknown>): boolean =>
  new Set(ids).size === ids.length && ids.every((id) => known.has(id))

interface PartFilter {
  (part: unknown): boolean
  /** Whether any kept part is an answer. */
  hasAnswer(): boolean
}

/** Decides which parts of one message stay: each call and each result once, if it has its counterpart. */
function createPartFilter(
  calls: ReadonlySet<unknown>,
  results: ReadonlySet<unknown>,
  approvals: Set<unknown>,
): PartFilter {
  const seen = { call: new Set<unknown>(), result: new Set<unknown>() }
  let hasAnswer = false
  const keep = (part: unknown): boolean => {
    const tool = toolPart(part)
    if (tool === undefined) return keepApproval(part)
    const { kind, id } = tool
    if (kind === 'whole' || kind === 'open') return kind === 'whole'
    if (!(kind === 'call' ? calls : results).has(id) || seen[kind].has(id)) return false
    seen[kind].add(id)
    hasAnswer ||= kind === 'result'
    return true
  }
  /** In the AI SDK, the request to approve a call and the reply to that stay with the call. */
  const keepApproval = (part: unknown): boolean => {
    const { type, approvalId, toolCallId } = (part ?? {}) as {
      readonly type?: unknown
      readonly approvalId?: unknown
      readonly toolCallId?: unknown
    }
    if (type === 'tool-approval-request') {
      if (!calls.has(toolCallId)) return false
      approvals.add(approvalId)
    } else if (type === 'tool-approval-response') {
      if (!approvals.has(approvalId)) return false
      hasAnswer = true
    }
    return true
  }
  return Object.assign(keep, { hasAnswer: () => hasAnswer })
}

/** The same value when all of its parts stay. */
function filtered<T>(value: T, keep: (part: unknown) => boolean): T {
  if (!Array.isArray(value)) return value
  const kept = value.filter(keep)
  return kept.length === value.length ? value : (kept as T)
}
