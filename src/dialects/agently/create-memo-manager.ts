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
 * Makes a context manager that treats every session as a memo session: a model gets the current view and the memo;
 * after a run it is resized by policy. Where a request would be too long, or was, at least half of the view goes (lite
 * and deep, by force). What the sessions have in common is set by `parentSettings`, such as
 * `{ session: { mode: 'memo' } }`. Without a model and a handler for it, the memo of a session that has one stays as it
 * is, until somebody can update it.
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
        // A session that is not there is not made.
        if (meta !== undefined && meta.deletedAt === undefined) await open(key).resetChatHistory()
      },
    }
  }
}
