import type { Message } from '../../contract/message.ts'
import type { SessionStore } from '../../contract/store.ts'
import { replaceLine } from '../replace-line.ts'
import { readMemoMeta } from './look-at-session.ts'

/**
 * Makes both views of a session equal to a list; what stood for the old part goes with it. Resets turns and the memo's position, the memo
 * stays.
 *
 * Source: Agently, `set_chat_history`
 */
export async function replaceHistory(store: SessionStore, key: string, messages: readonly Message[], inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>): Promise<void> {
  await replaceLine(store, key, messages)
  await inTurn(async () => {
    const { contextState, state } = await readMemoMeta(store, key)
    const { entries } = await store.read(key, { last: 1 })
    await store.updateMeta(key, { contextState: { ...contextState, turns: 0, at: entries[0]?.order ?? state.at, lastResizeTurn: 0, memoCursor: '' } })
  })
}
