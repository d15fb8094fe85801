import { readContext } from '../../../client/context/read-context.ts'
import type { Message } from '../../../contract/message.ts'
import { estimateContextTokens } from '../../../domain/context/estimate-context-tokens.ts'
import type { AttachOptions } from './attach-types.ts'
import type { SessionLog } from './attached-log.ts'

/**
 * Reads the history to send with messages.
 *
 * @param additional - the messages that are sent with the history and need room as well
 */
export type HistoryReader = (
  additional: readonly Message[],
  signal: AbortSignal | undefined,
) => Promise<readonly Message[]>

/** How much of a session's history the model gets. */
export interface HistoryLimits extends Pick<AttachOptions, 'context' | 'manager'> {
  readonly contextWindow: number
  readonly maxTokens: number
}

/** Makes the reader of a session's history: its context manager decides, if there is one. */
export function createHistoryReader(
  { store, key }: SessionLog,
  { context, manager, contextWindow, maxTokens }: HistoryLimits,
): HistoryReader {
  const count = context?.countTokens ?? estimateContextTokens
  return async (additional, signal) => {
    const cancellation = signal === undefined ? {} : { signal }
    const additionalTokens = additional.reduce((tokens, message) => tokens + count(message), 0)
    const roomIn = (tokens: number): number => Math.max(0, tokens - additionalTokens)
    if (manager !== undefined) {
      const request = { key, contextWindow: roomIn(contextWindow), maxTokens, ...cancellation }
      return (await manager.assemble(request)).messages
    }
    const limit = context?.maxTokens === undefined ? {} : { maxTokens: roomIn(context.maxTokens) }
    return (await readContext(store, key, { memo: false, ...context, ...limit, ...cancellation })).messages
  }
}
