import { compactSession } from '../../client/context/compact-session.ts'
import { readContext } from '../../client/context/read-context.ts'
import type { ContextManager, ContextManagerParts, ShrinkRequest } from '../context-manager.ts'

/**
 * ai-panel's way with contexts: the summary, then the messages it does not stand for; what is over `threshold` tokens is compacted after a
 * run, all but the last 20 turns. Where a request would not fit or was refused, half of the turns are.
 */
export function createPanelContextManager({ store, name, summarise, countTokens }: ContextManagerParts, threshold?: number): ContextManager {
  const counting = countTokens === undefined ? {} : { countTokens }
  const place = (key: string) => ({ store, key, ...(name === undefined ? {} : { name }) })

  /** How many turns stay where something has to go. */
  async function keptTurns(key: string): Promise<number> {
    const { turns } = await readContext(store, key)
    return Math.max(1, Math.min(20, Math.floor(turns / 2)))
  }

  return {
    assemble: ({ key, contextWindow, maxTokens, tools, signal }) =>
      readContext(store, key, { system: 'apart', maxTokens: Math.max(0, contextWindow - maxTokens), ...counting, ...(tools === undefined ? {} : { tools }), ...(signal === undefined ? {} : { signal }) }),
    shrink: async ({ key, reason, signal }: ShrinkRequest) => {
      if (summarise === undefined) return false
      const due = reason === 'summarise' ? (threshold === undefined ? {} : { threshold }) : { force: true, keepTurns: await keptTurns(key) }
      const { status } = await compactSession(place(key), { summarise, ...due, ...counting, ...(signal === undefined ? {} : { signal }) })
      return status === 'compacted' || status === 'superseded'
    },
    ingest: () => Promise.resolve(),
    clear: async (key) => {
      await store.setHistory(key, [])
      await store.setSummary(key, '')
    },
  }
}
