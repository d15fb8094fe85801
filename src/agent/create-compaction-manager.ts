import { compactSession } from '../client/context/compact-session.ts'
import { readContext } from '../client/context/read-context.ts'
import type { CompactOptions } from '../client/context/types.ts'
import { estimateToolTokens } from '../domain/context/estimate-tool-tokens.ts'
import { estimateTokens } from '../domain/tokens.ts'
import { checkedBudget, checkedReason } from './checked-request.ts'
import { clearConversation } from './clear-conversation.ts'
import type { ContextManager, ContextManagerParts, ShrinkRequest } from './context-manager.ts'

/** Source: ai-panel */
const usualThreshold = 80_000

/**
 * The default manager, ai-panel's compaction: above 80,000 tokens, or what the window leaves beside the reply when that is less, all but
 * the last 20 turns are summarised. Where that has to be before a request, or a model has refused one, about half of what there is room
 * for stays. Without a model nothing is made smaller; what does not fit is left out of each request.
 */
export function createCompactionManager({ store, name, summarise, countTokens }: ContextManagerParts): ContextManager {
  const counter = countTokens === undefined ? {} : { countTokens }
  return {
    assemble: async (request) => {
      const { contextWindow, maxTokens, tools } = checkedBudget(request)
      const { key, signal } = request
      return readContext(store, key, { ...counter, maxTokens: Math.max(0, contextWindow - maxTokens), tools, ...(signal === undefined ? {} : { signal }) })
    },
    shrink: async (request) => {
      const extent = extentOf(request)
      if (summarise === undefined) return false
      const { key, signal } = request
      const { status } = await compactSession({ store, key, name }, { summarise, ...counter, ...extent, ...(signal === undefined ? {} : { signal }) })
      return status === 'compacted'
    },
    ingest: async () => undefined,
    clear: (key) => clearConversation(store, key),
  }

  function extentOf(request: ShrinkRequest): Pick<CompactOptions, 'threshold' | 'force' | 'keepTokens'> {
    const reason = checkedReason(request)
    const { contextWindow, maxTokens, tools } = checkedBudget(request)
    const room = Math.max(0, contextWindow - maxTokens - estimateToolTokens(tools, countTokens ?? estimateTokens))
    if (reason === 'summarise') return { threshold: Math.min(usualThreshold, room) }
    const keepTokens = Math.max(1, Math.floor(room / 2))
    return reason === 'model-refused' ? { force: true, keepTokens } : { threshold: room, keepTokens }
  }
}
