import { clearConversation } from '../../client/context/clear-conversation.ts'
import { compactSession } from '../../client/context/compact-session.ts'
import type { CompactOptions } from '../../client/context/context-types.ts'
import { readContext } from '../../client/context/read-context.ts'
import { estimateContextTokens } from '../../domain/context/estimate-context-tokens.ts'
import { estimateToolTokens } from '../../domain/context/estimate-tool-tokens.ts'
import { checkedBudget, checkedReason } from './checked-request.ts'
import type { ContextManager, ContextManagerParts, ShrinkRequest } from './context-manager.ts'

export interface CompactionManagerOptions {
  /** Compacts when the context has more tokens than this. Default 80,000. Source: ai-panel */
  readonly threshold?: number
  /** How many of the newest turns stay then. Default 20. Source: ai-panel */
  readonly keepTurns?: number
}

/**
 * The default manager, with ai-panel's compaction: above 80,000 tokens, or the window without the reply if that is
 * less, all but the last 20 turns are summarised. If a context must be reduced before a request, it keeps messages for
 * about half of the room. If a model has refused a request, it keeps half of that, or half of the messages that were
 * sent if they are less. Without a model nothing is summarised, and messages that do not fit are left out of each
 * request.
 */
export function createCompactionManager(
  { store, name, summarise, countTokens }: ContextManagerParts,
  { threshold = 80_000, keepTurns = 20 }: CompactionManagerOptions = {},
): ContextManager {
  const counter = countTokens === undefined ? {} : { countTokens }
  return {
    assemble: async (request) => {
      const { contextWindow, maxTokens, tools } = checkedBudget(request)
      const { key, signal } = request
      return readContext(store, key, {
        ...counter,
        maxTokens: Math.max(0, contextWindow - maxTokens),
        tools,
        ...(signal === undefined ? {} : { signal }),
      })
    },
    shrink: async (request) => {
      const extent = await extentOf(request)
      if (summarise === undefined) return false
      const { key, signal } = request
      const { status } = await compactSession(
        { store, key, name },
        { summarise, ...counter, ...extent, ...(signal === undefined ? {} : { signal }) },
      )
      // If another compaction came first, or the old part was hidden in the meantime, the context is smaller too.
      return status === 'compacted' || status === 'superseded'
    },
    ingest: async () => undefined,
    clear: (key) => clearConversation(store, key),
  }

  async function extentOf(
    request: ShrinkRequest,
  ): Promise<Pick<CompactOptions, 'threshold' | 'force' | 'keepTurns' | 'keepTokens'>> {
    const reason = checkedReason(request)
    const { contextWindow, maxTokens, tools } = checkedBudget(request)
    const room = Math.max(
      0,
      contextWindow - maxTokens - estimateToolTokens(tools, countTokens ?? estimateContextTokens),
    )
    const half = (tokens: number): number => Math.max(1, Math.floor(tokens / 2))
    if (reason === 'summarise') return { threshold: Math.min(threshold, room), keepTurns }
    if (reason === 'proactive-budget') return { threshold: room, keepTokens: half(room) }
    // The real window is smaller than `contextWindow`, or the tokens were underestimated.
    const { tokens } = await readContext(store, request.key, {
      ...counter,
      maxTokens: room,
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    })
    return { force: true, keepTokens: half(Math.min(room, tokens.messages)) }
  }
}
