import { checkedCounter } from '../../client/context/checked-counter.ts'
import { clearConversation } from '../../client/context/clear-conversation.ts'
import { runAlone } from '../../client/context/run-alone.ts'
import { unlessAborted } from '../../client/upkeep/unless-aborted.ts'
import { checkedTimeout } from '../../client/worker/checked-timeout.ts'
import { startTimer } from '../../client/worker/start-timer.ts'
import { assembleHistory } from './assemble-history.ts'
import { checkedReason } from './checked-request.ts'
import type { ContextManager, ContextManagerParts, ShrinkRequest } from './context-manager.ts'
import { dropOldHalf } from './drop-old-half.ts'
import { summariseOld } from './summarise-old.ts'

export interface PicoClawManagerOptions {
  /**
   * How long a summary may take with all its tries, in milliseconds; after that it is made without a model. `Infinity`:
   * no limit. Default 120,000.
   */
  readonly timeoutMs?: number
  /** Waits between two tries. Default: a timer. */
  readonly wait?: (ms: number) => Promise<void>
}

/** A summary that is being made. */
interface Run {
  readonly key: string
  readonly ending: AbortController
  isCleared: boolean
}

/**
 * PicoClaw's default context manager, which it calls “legacy”. If there are more than 20 messages, or three quarters of
 * the window are full, `summarise` replaces all but the last turns by a summary. If a request still does not fit, the
 * older half of the turns is dropped. Both hide the old part only from models: users can still scroll to it.
 *
 * Differences to PicoClaw: messages that arrive while a summary is made are neither lost nor summarised; each summary
 * includes the previous one, however many messages there are; it contains short forms of tool results; without a model
 * it takes at most a quarter of the window. Calls and results are sent in pairs in other dialects too.
 *
 * @throws InvalidInput for a bad `timeoutMs`; TypeError for a bad `countTokens`
 * Source: PicoClaw, `legacyContextManager`
 */
export function createPicoClawManager(
  { store, name, summarise, countTokens }: ContextManagerParts,
  { timeoutMs = 120_000, wait = delay }: PicoClawManagerOptions = {},
): ContextManager {
  const counter = countTokens === undefined ? {} : { countTokens: checkedCounter(countTokens) }
  checkedTimeout(timeoutMs)
  const runs = new Set<Run>()

  /**
   * Runs one summary at a time for each session. A run that had to wait checks again whether a summary is still needed.
   */
  async function runSummary(request: ShrinkRequest): Promise<boolean> {
    const { signal } = request
    const key = await unlessAborted(store.resolveSessionKey(request.key), signal, 'Summarising')
    return runAlone({ store, key, name }, signal, async () => {
      const run: Run = { key, ending: new AbortController(), isCleared: false }
      const end = (): void => run.ending.abort()
      signal?.addEventListener('abort', end)
      const stopTimer = startTimer(end, timeoutMs)
      runs.add(run)
      try {
        return await summariseOld(store, key, request, {
          counter,
          summarise,
          wait,
          ending: run.ending.signal,
          isCleared: () => run.isCleared,
        })
      } finally {
        runs.delete(run)
        stopTimer()
        signal?.removeEventListener('abort', end)
      }
    })
  }

  return {
    assemble: (request) => assembleHistory(store, counter, request),
    shrink: async (request) =>
      checkedReason(request) === 'summarise' ? runSummary(request) : dropOldHalf(store, counter, request),
    ingest: async () => undefined,
    clear: async (asked) => {
      const key = await store.resolveSessionKey(asked)
      for (const run of runs) {
        if (run.key !== key) continue
        run.isCleared = true
        run.ending.abort()
      }
      await clearConversation(store, key)
    },
  }
}

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
