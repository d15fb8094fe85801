import type { ContextOptions } from '../../client/context/context-types.ts'
import { readContext } from '../../client/context/read-context.ts'
import { checkedBudget, checkedReason } from '../picoclaw/checked-request.ts'
import type { ContextManager, ContextManagerFactory } from '../picoclaw/context-manager.ts'
import { createMemoSession } from './create-memo-session.ts'
import type { MemoHandlers, MemoSession } from './memo-types.ts'
import { readMemoRules } from './rules/memo-settings.ts'
import { messageSize } from './rules/message-size.ts'

export interface MemoManagerOptions extends Omit<MemoHandlers, 'name'>, Pick<ContextOptions, 'memo'> {}

/**
 * Makes a context manager that treats every session as a memo session: the model gets the current view and the memo,
 * and after a run the view is resized by policy. If a request would be too long, or was, at least half of the view is
 * removed by a forced resize (lite or deep). Settings for all sessions are set in `parentSettings`, such as `{ session:
 * { mode: 'memo' } }`. Without a model or handler that updates memos, the memo of a session stays as it is until one is
 * given.
 *
 * Source: AgentlyMemoSession, behind PicoClaw's `ContextManager`
 */
export function createMemoManager({ memo = true, ...handlers }: MemoManagerOptions = {}): ContextManagerFactory {
  return ({ store, name, countTokens }): ContextManager => {
    const open = (key: string): MemoSession =>
      createMemoSession({ store, key, withoutUpdater: 'leave', ...(name === undefined ? {} : { name }), ...handlers })
    const compactionOf = async (key: string): Promise<string | undefined> =>
      (await store.read(key, { view: 'context', last: 1 })).hidden?.compaction

    return {
      assemble: async (request) => {
        const { contextWindow, maxTokens, tools } = checkedBudget(request)
        const { key, signal } = request
        return readContext(store, key, {
          memo,
          tools,
          maxTokens: Math.max(0, contextWindow - maxTokens),
          ...(countTokens === undefined ? {} : { countTokens }),
          ...(signal === undefined ? {} : { signal }),
        })
      },
      shrink: async (request) => {
        const reason = checkedReason(request)
        checkedBudget(request)
        const { key, signal } = request
        const session = open(key)
        const options = signal === undefined ? {} : { signal }
        if (reason === 'summarise') {
          if ((await session.judgeResize(false, options)) === null) return false
          await session.resize(false, options)
          return true
        }
        const current = await session.currentHistory(options)
        // The newest message always stays.
        if (current.length < 2) return false
        const half = Math.floor(current.reduce((size, message) => size + messageSize(message), 0) / 2)
        const { chars } = readMemoRules(await session.settings())
        const before = await compactionOf(key)
        await session.resize(reason === 'model-refused' ? 'deep' : 'lite', {
          ...options,
          chars: chars > 0 ? Math.min(chars, half) : half,
        })
        return (await compactionOf(key)) !== before
      },
      ingest: async () => undefined,
      clear: async (key) => {
        const meta = await store.getMeta(key)
        // A missing session is not created.
        if (meta !== undefined && meta.deletedAt === undefined) await open(key).resetChatHistory()
      },
    }
  }
}
