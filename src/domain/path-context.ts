import type { Message } from '../contract/message.ts'
import { modelMessage } from './context/model-message.ts'
import type { FoldedEntry } from './fold.ts'
import type { EntryPath } from './path-to.ts'

/** What a model is to see at an entry, and which model. */
export interface PathContext {
  readonly messages: readonly Message[]
  /** `off` until something else is chosen. */
  readonly thinkingLevel: string
  readonly model: { readonly provider: string; readonly modelId: string } | null
}

/** The context at nothing. */
export const noContext: PathContext = { messages: [], thinkingLevel: 'off', model: null }

/**
 * What a path says to a model: the summary of its last compaction, then what that left over, then what came after; the last thinking level;
 * the model last chosen or last heard.
 *
 * Source: pi-coding-agent, `buildSessionContext` and `convertToLlm`
 */
export function pathContext({ raw, rows, summary, instead, isCompacted }: EntryPath): PathContext {
  const left = rows.filter((row) => !isCompacted(row)).flatMap((row) => modelMessage(saidBy(row)) ?? [])
  let { thinkingLevel, model } = noContext
  for (const { type, message, data } of raw.map(saidBy)) {
    const { provider, modelId, thinkingLevel: level } = (data ?? {}) as { readonly [field: string]: unknown }
    if (type === 'thinking_level_change' && typeof level === 'string') thinkingLevel = level
    if (type === 'model_change') model = modelOf(provider, modelId) ?? model
    if (message?.role === 'assistant') model = modelOf(message['provider'], message['model']) ?? model
  }
  return { messages: [...summaryMessage(summary), ...instead, ...left], thinkingLevel, model }
}

function saidBy({ type, data, edit }: FoldedEntry): { readonly type: string; readonly message?: Message; readonly data?: FoldedEntry['data'] } {
  const said = edit?.value ?? data
  return type === 'message' ? { type, message: said['message'] as unknown as Message } : { type, data: said }
}

function modelOf(provider: unknown, modelId: unknown): PathContext['model'] {
  return typeof modelId === 'string' ? { provider: typeof provider === 'string' ? provider : '', modelId } : null
}

function summaryMessage(summary: string): readonly Message[] {
  if (summary === '') return []
  return [{ role: 'user', content: `The conversation history before this point was compacted into the following summary:\n\n<summary>\n${summary}\n</summary>` }]
}
