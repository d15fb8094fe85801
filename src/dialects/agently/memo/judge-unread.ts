import { foldContext } from '../../../client/context/fold-context.ts'
import { readEntries } from '../../../client/session/read-entries.ts'
import type { Message } from '../../../contract/message.ts'
import type { ResizeOptions } from '../memo-types.ts'
import { addToMeasure, judgeMeasure, noMeasure, type ViewMeasure } from '../rules/judge-by-default.ts'
import { mergeSettings, readMemoRules } from '../rules/memo-settings.ts'
import type { ResizeDecision } from '../rules/resize-decision.ts'
import { readMemoMeta, turnsIn } from './look-at-session.ts'
import type { MemoTools } from './memo-tools.ts'

/**
 * The decision of the default policy, page by page: unlike a policy of the app, it does not need the messages
 * themselves, of which there may be a million.
 */
export async function judgeUnread(
  { store, key, parent }: MemoTools,
  { signal, chars }: ResizeOptions,
): Promise<ResizeDecision | null> {
  const { state } = await readMemoMeta(store, key)
  const rules = { ...readMemoRules(mergeSettings(parent, state.settings)), ...(chars === undefined ? {} : { chars }) }
  const { fold, hidden, branch } = await foldContext(store, key, { signal }, ({ messages = [] }) => {
    let measure: ViewMeasure = noMeasure
    let turns = 0
    const add = (message: Message | undefined): void => {
      if (message !== undefined) measure = addToMeasure(measure, message, rules.chars)
    }
    messages.forEach(add)
    return {
      measure: () => measure,
      turns: () => turns,
      add: (entries) => {
        for (const { message } of entries) add(message)
        turns += turnsIn(entries.filter(({ order }) => order > state.at))
      },
    }
  })
  let turns = fold.turns()
  if (hidden.compaction !== undefined) {
    // The hidden part may have turns since the last resize.
    turns = 0
    for await (const entries of readEntries(store, key, signal, { branch, after: state.at })) turns += turnsIn(entries)
  }
  return judgeMeasure(fold.measure(), state.turns + turns - state.lastResizeTurn, rules)
}
