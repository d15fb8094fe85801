import type { EntryReceipt } from '../../contract/entry.ts'
import { isSessionError, SessionError } from '../../contract/errors.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import type { KeptPart } from '../../domain/context/plan-compaction.ts'
import { withoutMark } from '../../domain/context/without-mark.ts'
import { unlessAborted } from '../upkeep/unless-aborted.ts'
import { callModel } from './call-model.ts'
import { checkedCounter } from './checked-counter.ts'
import type { CompactionOutcome, CompactOptions } from './context-types.ts'
import { type FoldedContext, foldContext } from './fold-context.ts'
import { foldForCompaction, type PlannedCompaction } from './fold-for-compaction.ts'
import { runAlone } from './run-alone.ts'
import { memoOf, memoText, systemPart } from './system-part.ts'

const defaults = {
  threshold: 80_000,
  keepTurns: 20,
  timeoutMs: 90_000,
  instruction: '请将以下对话历史压缩为简洁摘要，保留关键信息',
} as const

/** The session to compact, and its store. */
export interface CompactionPlace {
  readonly store: SessionStore
  readonly key: string
  /** Name of the database, if there is one. It serves to allow only one run at a time in all tabs. */
  readonly name?: string | undefined
}

/**
 * Replaces the older part of a session's context by a summary, if the context costs more than the threshold. The newest
 * turns stay, and so do the system messages at the beginning; calls and results are complete on both sides. Entries
 * that arrive meanwhile stay in the context. Only one run at a time for each session: a run that had to wait and finds
 * the session compacted changes nothing. Nothing changes unless the outcome is `compacted`.
 *
 * @throws what the summariser throws; Aborted when its time is over or the signal fires; InvalidInput, TypeError for
 *   bad options
 * Source: ai-panel (threshold, 20 turns, instruction), pi-coding-agent (`keepTokens`)
 */
export async function compactSession(place: CompactionPlace, options: CompactOptions): Promise<CompactionOutcome> {
  checkOptions(options)
  const { signal, onProgress } = options
  const { store, name } = place
  const key = await unlessAborted(store.resolveSessionKey(place.key), signal, 'The compaction')
  onProgress?.({ phase: 'waiting' })
  // This run compacts the line that is the head now, even if another line becomes the head while it waits.
  const { branch, hidden } = await unlessAborted(
    store.read(key, { view: 'context', last: 1 }),
    signal,
    'The compaction',
  )
  return runAlone({ store, key, name }, signal, () => compactLine(store, key, branch, hidden?.compaction, options))
}

async function compactLine(
  store: SessionStore,
  key: string,
  branch: string,
  active: string | undefined,
  options: CompactOptions,
): Promise<CompactionOutcome> {
  const {
    signal,
    onProgress,
    summarise,
    force = false,
    threshold = defaults.threshold,
    instruction = defaults.instruction,
    timeoutMs = defaults.timeoutMs,
  } = options
  onProgress?.({ phase: 'reading' })
  const countTokens = checkedCounter(options.countTokens)
  const keep: KeptPart =
    options.keepTokens === undefined
      ? { turns: options.keepTurns ?? defaults.keepTurns }
      : { tokens: options.keepTokens, countTokens }
  const context = await foldContext(store, key, { branch, signal }, (hidden) =>
    foldForCompaction(hidden, keep, countTokens),
  )
  const { fold, hidden } = context
  if (hidden.compaction !== active) return { status: 'superseded' }
  const memo = memoText(memoOf(await unlessAborted(store.getMeta(key), signal, 'The compaction')))

  const tokensBefore = systemPart(hidden.summary, memo, countTokens).tokens + fold.tokens()
  if (!force && tokensBefore <= threshold) return { status: 'unneeded' }
  const plan = fold.plan()
  if (plan === undefined) return { status: 'nothing' }

  const messages = plan.summarised.length
  onProgress?.({ phase: 'summarising', messages, tokensBefore })
  const request = { instruction, messages: plan.summarised.map(withoutMark), previousSummary: hidden.summary }
  const summary = await callModel((ending) => summarise({ ...request, signal: ending }), {
    what: 'The summary',
    timeoutMs,
    signal,
  })
  if (summary.trim() === '') return { status: 'empty' }
  onProgress?.({ phase: 'storing', messages, tokensBefore })

  const tokensAfter = [...plan.carried, ...plan.kept].reduce(
    (sum, message) => sum + countTokens(message),
    systemPart(summary, memo, countTokens).tokens,
  )
  const stored = await storeSummary(store, key, context, plan, { summary, tokensBefore, tokensAfter })
  if (stored === undefined) return { status: 'superseded' }
  return {
    status: 'compacted',
    id: stored.id,
    summary,
    firstKeptEntryId: plan.first.id,
    tokensBefore,
    tokensAfter,
    messages,
  }
}

/**
 * @returns `undefined` when the summarised entries were hidden, changed or summarised by somebody else meanwhile,
 *   because a summary must not show again what was cleared
 */
async function storeSummary(
  store: SessionStore,
  key: string,
  context: Omit<FoldedContext<unknown>, 'fold'>,
  plan: PlannedCompaction,
  result: { readonly summary: string; readonly tokensBefore: number; readonly tokensAfter: number },
): Promise<EntryReceipt | undefined> {
  const { first, carried, covers, fingerprint, summarised, isSplit } = plan
  try {
    return await store.setCompaction(key, {
      ...result,
      branch: context.branch,
      covers,
      replaces: context.hidden.compaction ?? null,
      fingerprint,
      firstKept: { branch: first.branch, order: first.order },
      ...(carried.length === 0 ? {} : { messages: carried }),
      details: { firstKeptEntryId: first.id, messages: summarised.length, ...(isSplit ? { isSplit } : {}) },
    })
  } catch (error) {
    if (isSessionError(error, 'ParentMoved') || isSessionError(error, 'SessionNotFound')) return undefined
    throw error
  }
}

function checkOptions({ summarise, threshold = 0, keepTurns = 1, keepTokens = 1 }: CompactOptions): void {
  if (typeof summarise !== 'function')
    throw new TypeError(`compact needs a function that makes the summary (summarise), got ${typeof summarise}.`)
  const check = (name: string, value: unknown, isFine: boolean, wanted: string): void => {
    if (!isFine) throw new SessionError('InvalidInput', `${name} must be ${wanted}, got ${String(value)}.`)
  }
  check('threshold', threshold, typeof threshold === 'number' && threshold >= 0, 'a number from 0 up')
  check('keepTurns', keepTurns, Number.isSafeInteger(keepTurns) && keepTurns >= 1, 'a whole number from 1 up')
  check('keepTokens', keepTokens, Number.isFinite(keepTokens) && keepTokens > 0, 'a number above 0')
}
