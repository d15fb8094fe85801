import type { EntryView } from '../../contract/entry.ts'
import type { Message } from '../../contract/message.ts'
import { findCutPoint } from './find-cut-point.ts'
import { leadingSystem } from './leading-system.ts'
import { modelMessage } from './model-message.ts'
import { pairToolCalls } from './pair-tool-calls.ts'
import { turnStarts } from './turn-starts.ts'

/** How much of a line stays: this many of the newest turns, or about this many of the newest tokens. */
export type KeptPart =
  | { readonly turns: number }
  | { readonly tokens: number; readonly countTokens: (message: Message) => number }

/** The place where a line is compacted, and what happens to its messages. */
export interface CompactionPlan {
  /** Index of the first entry that stays. */
  readonly firstKept: number
  /** The messages to summarise, calls and results complete. Never empty. */
  readonly summarised: readonly Message[]
  /**
   * The messages that stay in front of the kept part: system messages at the start of the line, which are no part of a
   * conversation, and messages that an earlier compaction put in front, as far as they stay.
   */
  readonly carried: readonly Message[]
  /** The kept messages of the entries, calls and results complete. */
  readonly kept: readonly Message[]
  /** Whether the first kept turn lacks its start. */
  readonly isSplit: boolean
}

/**
 * Finds the place to compact a line: before the message that starts the oldest of the turns to keep, or where pi would
 * cut. Messages that an earlier compaction put in front are handled like any other, so that the cut may be among them.
 *
 * @param entries - the part of the line that a model gets
 * @param carried - the messages that an earlier compaction put in front of it
 * @returns `undefined` when nothing before the cut has content, or when no entry would stay
 */
export function planCompaction(
  entries: readonly EntryView[],
  carried: readonly Message[],
  keep: KeptPart,
): CompactionPlan | undefined {
  const messages: Message[] = [...carried]
  /** The index of the entry of each message, after those of messages without an entry. */
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
  // A cut without an entry of its own is among the carried messages.
  let firstKept = places[cut.index - carried.length] ?? 0
  // An entry without a message, such as a change of the model, goes with the next entry.
  if ('tokens' in keep) while (firstKept > 0 && !places.includes(firstKept - 1)) firstKept--
  return {
    firstKept,
    summarised,
    carried: [...before.slice(0, leading), ...carried.slice(cut.index)],
    kept: pairToolCalls(messages.slice(Math.max(cut.index, carried.length))),
    isSplit: cut.isSplit,
  }
}

function cutOf(
  messages: readonly Message[],
  keep: KeptPart,
): { readonly index: number; readonly isSplit: boolean } | undefined {
  if ('tokens' in keep) {
    const { index, turnStart } = findCutPoint(messages, keep.tokens, keep.countTokens)
    return index === 0 ? undefined : { index, isSplit: turnStart !== undefined }
  }
  const index = turnStarts(messages).at(-keep.turns)
  return index === undefined ? undefined : { index, isSplit: false }
}
