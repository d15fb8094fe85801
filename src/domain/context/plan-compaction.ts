import type { EntryView } from '../../contract/entry.ts'
import type { Message } from '../../contract/message.ts'
import { findCutPoint } from './find-cut-point.ts'
import { leadingSystem } from './leading-system.ts'
import { modelMessage } from './model-message.ts'
import { pairToolCalls } from './pair-tool-calls.ts'
import { turnStarts } from './turn-starts.ts'

/** How much of a line stays: so many of the newest turns, or about so many of the newest tokens. */
export type KeptPart = { readonly turns: number } | { readonly tokens: number; readonly countTokens: (message: Message) => number }

/** Where a line is compacted, and what becomes of its messages. */
export interface CompactionPlan {
  /** Index of the first entry that stays. */
  readonly firstKept: number
  /** What is to be summarised, calls and results complete. Never empty. */
  readonly summarised: readonly Message[]
  /**
   * What goes on in front of what is kept: system messages that the line begins with, which are no part of a conversation, and what an
   * earlier compaction put in front, as far as it stays.
   */
  readonly carried: readonly Message[]
  /** What stays of the entries' messages, calls and results complete. */
  readonly kept: readonly Message[]
  /** Whether the first turn that stays lacks its beginning. */
  readonly isSplit: boolean
}

/**
 * Finds where to compact a line: before the message that starts the oldest of the turns to keep, or where pi would cut. What an earlier
 * compaction put in front is a part of it like any other, so that the cut may be in there, too.
 *
 * @param entries - what a model gets of the line
 * @param carried - what an earlier compaction put in front of it
 * @returns `undefined` when nothing before that says anything, or when there is no entry to stay
 */
export function planCompaction(entries: readonly EntryView[], carried: readonly Message[], keep: KeptPart): CompactionPlan | undefined {
  const messages: Message[] = [...carried]
  /** Where the entry of each message stands, behind those that have none. */
  const places: number[] = []
  entries.forEach((entry, place) => {
    const message = modelMessage(entry)
    if (message === undefined) return
    messages.push(message)
    places.push(place)
  })
  const cut = entries.length === 0 ? undefined : cutOf(messages, keep)
  if (cut === undefined) return undefined
  const before = messages.slice(0, cut.index)
  const leading = leadingSystem(before)
  const summarised = pairToolCalls(before.slice(leading))
  if (summarised.length === 0) return undefined
  // Without a place the cut is among those that were in front already.
  let firstKept = places[cut.index - carried.length] ?? 0
  // What says nothing itself, such as a change of the model, goes with what follows it.
  if ('tokens' in keep) while (firstKept > 0 && !places.includes(firstKept - 1)) firstKept--
  return {
    firstKept,
    summarised,
    carried: [...before.slice(0, leading), ...carried.slice(cut.index)],
    kept: pairToolCalls(messages.slice(Math.max(cut.index, carried.length))),
    isSplit: cut.isSplit,
  }
}

function cutOf(messages: readonly Message[], keep: KeptPart): { readonly index: number; readonly isSplit: boolean } | undefined {
  if ('tokens' in keep) {
    const { index, turnStart } = findCutPoint(messages, keep.tokens, keep.countTokens)
    return index === 0 ? undefined : { index, isSplit: turnStart !== undefined }
  }
  const index = turnStarts(messages).at(-keep.turns)
  return index === undefined ? undefined : { index, isSplit: false }
}
