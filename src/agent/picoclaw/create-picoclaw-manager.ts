import { SessionError } from '../../contract/errors.ts'
import type { Message } from '../../contract/message.ts'
import { checkedCounter } from '../../client/context/checked-counter.ts'
import { isSameBasis, readWholeContext, type WholeContext } from '../../client/context/read-whole-context.ts'
import { runAlone } from '../../client/context/run-alone.ts'
import { memoOf, memoText } from '../../client/context/told-system.ts'
import type { ModelContext } from '../../client/context/types.ts'
import { unlessAborted } from '../../client/unless-aborted.ts'
import { type BudgetTokens, budgetTokens } from '../../domain/context/budget-tokens.ts'
import type { ContextBudget } from '../../domain/context/context-budget.ts'
import { forceCompression, withCompressionNote } from '../../domain/context/force-compression.ts'
import { isSummaryDue } from '../../domain/context/is-summary-due.ts'
import { planSummary } from '../../domain/context/plan-summary.ts'
import { systemText } from '../../domain/context/system-text.ts'
import { trimHistoryToFitContextWindow } from '../../domain/context/trim-history.ts'
import { turnStarts } from '../../domain/context/turn-starts.ts'
import { clearConversation } from '../clear-conversation.ts'
import type { AssembleRequest, ContextManager, ContextManagerParts, ShrinkRequest } from '../context-manager.ts'
import { contextHistory, type HistoryItem } from './context-history.ts'
import { outgoingHistory } from './outgoing-history.ts'
import { readNewestHistory } from './read-newest-history.ts'
import { storeBoundary } from './store-boundary.ts'
import { summariseParts } from './summarise-parts.ts'

const oversizeNote = '\n[Note: Some oversized messages were omitted from this summary for efficiency.]'

export interface PicoClawManagerOptions {
  /** How long a summary may take with all its tries, in milliseconds; then it is made without a model. Default 120,000. */
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
 * PicoClaw's default context manager, the one it calls “legacy”: when there are more than 20 messages, or three quarters of the window are
 * full, all but the last turns are summarised; when a request does not fit all the same, the older half of the turns is dropped. Both hide
 * the old part from models only: people still scroll it, and `save` leaves it alone.
 *
 * Where it is not as PicoClaw: what arrives while a summary is made is neither lost nor summarised, a summary is carried on by the next one,
 * results of tools are summarised too, in short form, and a summary without a model has at most a quarter of the window.
 *
 * Source: PicoClaw, `legacyContextManager`
 */
export function createPicoClawManager(parts: ContextManagerParts, { timeoutMs = 120_000, wait = delay }: PicoClawManagerOptions = {}): ContextManager {
  const { store, name, summarise } = parts
  const counter = parts.countTokens === undefined ? {} : { countTokens: checkedCounter(parts.countTokens) }
  const budgetOf = ({ contextWindow, maxTokens, tools = [] }: AssembleRequest | ShrinkRequest): ContextBudget => ({ contextWindow, maxTokens, tools, ...counter })
  const runs = new Set<Run>()

  async function assemble(request: AssembleRequest): Promise<ModelContext> {
    const { key, signal } = request
    const budget = budgetOf(request)
    const tokens = budgetTokens(budget)
    const [{ items, hidden, branch, before }, meta] = await Promise.all([readNewestHistory(store, key, tokens, signal), unlessAborted(store.getMeta(key), signal, 'Reading the context')])
    const { summary, compaction } = hidden
    const memo = memoOf(meta)
    const system = systemText(summary, memoText(memo))
    const told = systemMessages(system)
    const history = items.map(({ message }) => message)
    const { history: kept, messages, fits } = trimHistoryToFitContextWindow(history, budget, (turns) => [...told, ...outgoingHistory(turns)])
    const systemTokens = tokens.of(told)
    const summaryTokens = Math.min(systemTokens, tokens.of(systemMessages(systemText(summary, ''))))
    const total = tokens.of(messages) + tokens.tools
    return {
      messages,
      system,
      summary,
      memo,
      tokens: { total, summary: summaryTokens, memo: systemTokens - summaryTokens, messages: total - tokens.tools - systemTokens, tools: tokens.tools },
      turns: turnStarts(kept).length,
      leftOut: before + history.length - kept.length,
      fits,
      ...(compaction === undefined ? {} : { compaction }),
      branch,
    }
  }

  async function summariseOld(request: ShrinkRequest): Promise<boolean> {
    const key = await unlessAborted(store.resolveSessionKey(request.key), request.signal, 'Summarising')
    return runAlone({ store, key, name }, request.signal, async () => {
      const run: Run = { key, ending: new AbortController(), isCleared: false }
      const end = (): void => run.ending.abort(request.signal?.reason)
      request.signal?.addEventListener('abort', end)
      const timer = setTimeout(end, timeoutMs)
      runs.add(run)
      try {
        return await summariseNow(key, request, run)
      } finally {
        runs.delete(run)
        clearTimeout(timer)
        request.signal?.removeEventListener('abort', end)
      }
    })
  }

  async function summariseNow(key: string, { contextWindow, signal, ...request }: ShrinkRequest, run: Run): Promise<boolean> {
    const { context, items, history } = await readHistory(key, signal)
    const budget = budgetOf({ contextWindow, ...request })
    const plan = isSummaryDue(history, budget) ? planSummary(history, contextWindow) : undefined
    if (plan === undefined) return false
    const { summary: previousSummary } = context.hidden
    // A quarter of the window, at two and a half characters a token.
    const { summary: made, failure } = await summariseParts(plan.parts, { summarise, previousSummary, signal: run.ending.signal, maxLength: Math.floor((contextWindow * 5) / 8), wait })
    if (signal?.aborted === true) throw new SessionError('Aborted', 'The summary was ended by its signal. Nothing was changed.', { cause: signal.reason })
    if (!(await isStill(key, context)) || run.isCleared) return false
    const summary = plan.isPartial ? made + oversizeNote : made
    const tokens = budgetTokens(budget)
    return storeBoundary(store, key, context, items, {
      summary,
      start: plan.cut,
      tokensBefore: costOf(tokens, previousSummary, history),
      tokensAfter: costOf(tokens, summary, history.slice(plan.cut)),
      details: { manager: 'picoclaw', reason: 'summarise', ...(failure === undefined ? {} : { failure }) },
    })
  }

  /** Whether the part that was summarised is still what a model gets: it may have been cleared, or summarised by somebody else. */
  async function isStill(key: string, { branch, hidden, entries }: WholeContext): Promise<boolean> {
    const page = await store.read(key, { branch, view: 'context', after: '', limit: 1 })
    return isSameBasis(hidden, page.hidden ?? { summary: '' }) && page.entries[0]?.id === entries[0]?.id
  }

  async function compress(request: ShrinkRequest): Promise<boolean> {
    const { key, reason, signal } = request
    const { context, items, history } = await readHistory(key, signal)
    const tokens = budgetTokens(budgetOf(request))
    const { summary } = context.hidden
    const tokensBefore = costOf(tokens, summary, history)
    if (reason === 'proactive-budget' && tokensBefore <= tokens.room) return false
    const forced = forceCompression(history)
    if (forced === undefined) return false
    const { kept, start, dropped } = forced
    const noted = withCompressionNote(summary, dropped)
    await storeBoundary(store, key, context, items, {
      summary: noted,
      start,
      ...(start === items.length ? { kept } : {}),
      tokensBefore,
      tokensAfter: costOf(tokens, noted, kept),
      details: { manager: 'picoclaw', reason },
    })
    // Where another compaction came first, the context is smaller too.
    return true
  }

  async function readHistory(key: string, signal: AbortSignal | undefined): Promise<{ readonly context: WholeContext; readonly items: readonly HistoryItem[]; readonly history: readonly Message[] }> {
    const context = await readWholeContext(store, key, { isExact: true, signal })
    const items = contextHistory(context.hidden, context.entries)
    return { context, items, history: items.map(({ message }) => message) }
  }

  return {
    assemble,
    shrink: (request) => (request.reason === 'summarise' ? summariseOld(request) : compress(request)),
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

const costOf = (tokens: BudgetTokens, summary: string, history: readonly Message[]): number => tokens.of([...systemMessages(systemText(summary, '')), ...outgoingHistory(history)])
const systemMessages = (content: string): readonly Message[] => (content === '' ? [] : [{ role: 'system', content }])
const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
