import type { EntryView, VersionVector } from '../../contract/entry.ts'
import type { Message } from '../../contract/message.ts'
import type { HiddenPart } from '../../contract/store/session-log.ts'
import { isTurnBoundary } from '../../domain/context/is-turn-boundary.ts'
import { leadingSystem } from '../../domain/context/leading-system.ts'
import { modelMessage } from '../../domain/context/model-message.ts'
import { pairToolCalls } from '../../domain/context/pair-tool-calls.ts'
import { type CompactionPlan, type KeptPart, planCompaction } from '../../domain/context/plan-compaction.ts'
import { addToFingerprint, fingerprintOf } from '../../domain/context-fingerprint.ts'
import { coveringVector } from '../../domain/covering-vector.ts'
import type { CheckedCounter } from './checked-counter.ts'
import type { ContextFold } from './fold-context.ts'

/** A compaction as it was planned. */
export interface PlannedCompaction extends CompactionPlan {
  readonly first: EntryView
  /** Covers exactly the entries that the summary replaces. */
  readonly covers: VersionVector
  readonly fingerprint: string
}

/** What a compaction needs to know of a line. */
export interface CompactionFold extends ContextFold {
  /** Tokens of all messages, once all were read. */
  tokens(): number
  /** Call it once, at the end. @returns `undefined` when there is nothing to summarise */
  plan(): PlannedCompaction | undefined
  /** Number of entries in memory: those that may stay, and at most as many again. For tests. */
  held(): number
}

/**
 * Processes a line for a compaction. Entries that will certainly be summarised are released at once, except for their
 * messages, which the summariser gets. So hardly more entries are held than those that stay.
 *
 * @param least - the least number of entries that are examined at a time
 */
export function foldForCompaction(
  hidden: HiddenPart,
  keep: KeptPart,
  countTokens: CheckedCounter,
  least = 1024,
): CompactionFold {
  const summarised: Message[] = []
  let goneEntries = 0
  let leading: readonly Message[] = []
  let covers: VersionVector = {}
  let tokens = 0
  let carried: readonly Message[] = hidden.messages ?? []
  const open: EntryView[] = []
  let enough = least

  const letGo = (entries: readonly EntryView[]): void => {
    goneEntries = entries.reduce(addToFingerprint, goneEntries)
    covers = coveringVector(entries, covers)
  }
  const settle = (count: number): void => {
    const gone = open.splice(0, count)
    const before = [...carried, ...gone.flatMap((entry) => modelMessage(entry) ?? [])]
    const systems = summarised.length === 0 ? leadingSystem(before) : 0
    if (systems > 0) leading = [...leading, ...before.slice(0, systems)]
    for (const message of pairToolCalls(before)) tokens += countTokens(message)
    for (const message of pairToolCalls(before.slice(systems))) summarised.push(message)
    for (const message of before) countTokens.forget(message)
    carried = []
    letGo(gone)
  }

  return {
    add: (entries) => {
      for (const entry of entries) {
        open.push(entry)
        const message = modelMessage(entry)
        if (message !== undefined) countTokens(message)
      }
      if (open.length < enough) return
      const count = sureToGo(open, keep)
      if (count > 0) settle(count)
      // So that a part that has to be held is not examined again with each page.
      enough = Math.max(least, open.length * 2)
    },
    tokens: () =>
      pairToolCalls([...carried, ...open.flatMap((entry) => modelMessage(entry) ?? [])]).reduce(
        (sum, message) => sum + countTokens(message),
        tokens,
      ),
    plan: () => {
      const plan = planCompaction(open, carried, keep)
      if (plan === undefined) return undefined
      for (const message of plan.summarised) summarised.push(message)
      letGo(open.slice(0, plan.firstKept))
      return {
        ...plan,
        summarised,
        carried: [...leading, ...plan.carried],
        first: open[plan.firstKept]!,
        covers,
        fingerprint: fingerprintOf(goneEntries, hidden),
      }
    },
    held: () => open.length,
  }
}

/**
 * How many of the entries are summarised whatever follows them. They end where a turn begins, so that no call is
 * separated from its result, and one turn before the part that stays, so that there is something left to cut.
 */
function sureToGo(entries: readonly EntryView[], keep: KeptPart): number {
  let [turns, tokens] = [0, 0]
  let isEnough = false
  for (let i = entries.length - 1; i > 0; i--) {
    const message = modelMessage(entries[i]!)
    if (message === undefined) continue
    if ('tokens' in keep) tokens += keep.countTokens(message)
    if (!isTurnBoundary(message)) continue
    if (isEnough) return i
    turns += 1
    isEnough = 'turns' in keep ? turns >= keep.turns : tokens >= keep.tokens
  }
  return 0
}
