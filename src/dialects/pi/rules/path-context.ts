import type { JsonObject } from '../../../contract/json.ts'
import type { Message } from '../../../contract/message.ts'
import type { FoldedEntry } from '../../../domain/fold.ts'
import type { EntryPath } from '../../../domain/path-to.ts'
import { pushAll } from '../../../domain/push-all.ts'
import type { Steps } from '../../../domain/steps.ts'
import { atOnce, overEach } from '../../../domain/steps.ts'

/** pi's context at an entry: messages with pi's own roles, which `convertToLlm` converts for a model, and the model. */
export interface PathContext {
  readonly messages: readonly Message[]
  /** `off` until something else is chosen. */
  readonly thinkingLevel: string
  readonly model: { readonly provider: string; readonly modelId: string } | null
}

/** The context of an empty path. */
export const noContext: PathContext = { messages: [], thinkingLevel: 'off', model: null }

/**
 * Makes pi's context at the end of a path, message for message: the summary of its last compaction, the messages that
 * it kept, and all later ones; the last thinking level; the model that was chosen or that answered last. Messages are
 * as they were stored, even the empty reply of an assistant that was stopped; entries that are not messages become
 * messages of pi's roles `custom`, `branchSummary` and `compactionSummary`.
 *
 * Source: pi-coding-agent, `buildSessionContext`
 */
export function pathContext(path: EntryPath): PathContext {
  return atOnce(contextInSteps(path))
}

/** The same in steps, for paths that would keep a page busy. */
export function* contextInSteps({
  raw,
  rows,
  compaction,
  summary,
  instead,
  isCompacted,
}: EntryPath): Steps<PathContext> {
  let { thinkingLevel, model } = noContext
  yield* overEach(raw, (row) => {
    const { type, message, data } = saidBy(row)
    const { provider, modelId, thinkingLevel: level } = (data ?? {}) as { readonly [field: string]: unknown }
    if (type === 'thinking_level_change' && typeof level === 'string') thinkingLevel = level
    if (type === 'model_change') model = modelOf(provider, modelId) ?? model
    if (message?.role === 'assistant') model = modelOf(message['provider'], message['model']) ?? model
  })
  const summaryPart =
    summary === '' && compaction?.summary !== ''
      ? []
      : [piMessage('compactionSummary', { summary, ...chosen(compaction?.data, 'tokensBefore') }, compaction?.at ?? 0)]
  const messages: Message[] = [...summaryPart, ...instead]
  yield* overEach(rows, (row) => {
    if (!isCompacted(row)) pushAll(messages, messagesOf(row))
  })
  return { messages, thinkingLevel, model }
}

function messagesOf(row: FoldedEntry): readonly Message[] {
  const { type, message, data } = saidBy(row)
  if (message !== undefined) return [message]
  if (type === 'custom_message')
    return [piMessage('custom', chosen(data, 'customType', 'content', 'display', 'details'), row.at)]
  return type === 'branch_summary' && data?.['summary']
    ? [piMessage('branchSummary', chosen(data, 'summary', 'fromId'), row.at)]
    : []
}

function piMessage(role: string, fields: JsonObject, timestamp: number): Message {
  return { role, ...fields, timestamp } as Message
}

/** The fields of these names that exist. */
function chosen(data: JsonObject = {}, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(names.flatMap((name) => (data[name] === undefined ? [] : [[name, data[name]]])))
}

function saidBy({ type, data, edit }: FoldedEntry): {
  readonly type: string
  readonly message?: Message
  readonly data?: FoldedEntry['data']
} {
  const said = edit?.value ?? data
  return type === 'message' ? { type, message: said['message'] as unknown as Message } : { type, data: said }
}

function modelOf(provider: unknown, modelId: unknown): PathContext['model'] {
  return typeof modelId === 'string' ? { provider: typeof provider === 'string' ? provider : '', modelId } : null
}
