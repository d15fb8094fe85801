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
   * How long a summary may take with all its tries, in milliseconds; then it is made without a model. `Infinity`: as
   * long as it likes. Default 120,000.
   */
  readonly timeoutMs?: number
  /** Waits so many milliseconds between two tries. Default: a timer. */
  readonly wait?: (ms: number) => Promise<void>
}

/** A summary that is being made. */
interface Run {
  readonly key: string
  readonly ending: AbortController
  isCleared: boolean
}

/**
 * PicoClaw's default context manager, the one it calls “legacy”. When there are more than 20 messages, or three
 * quarters of the window are full, `summarise` puts a summary in the place of all but the last turns. When a request
 * does not fit all the same, the older half of the turns is dropped. Both hide the old part from models only: people
 * still scroll it.
 *
 * Where it is not as PicoClaw: what arrives while a summary is made is neither lost nor summarised; a summary is
 * carried on by the next one, however many messages there are; it tells in short form what tools found; without a model
 * it has at most a quarter of the window. Calls and results go out in pairs in other dialects, too.
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

  /** One run at a time for each session. Who had to wait summarises only what is due by then. */
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
