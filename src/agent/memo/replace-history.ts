import { isSessionError, SessionError } from '../../contract/errors.ts'
import type { Message } from '../../contract/message.ts'
import type { SessionStore } from '../../contract/store.ts'
import type { ChangeInTurn } from './change-in-turn.ts'
import { readMemoMeta } from './look-at-session.ts'
import { showWholeLine } from './show-whole-line.ts'

/** How often it is tried again when the line is compacted in between. */
const mostTries = 4

/**
 * Makes both views of a session equal to a list; what stood for the old part goes with it. Resets turns and the memo's position, the memo
 * stays.
 *
 * @throws SessionNotFound when the session was deleted: nobody brings it back by emptying it
 * Source: Agently, `set_chat_history`
 */
export async function replaceHistory(store: SessionStore, key: string, messages: readonly Message[], inTurn: ChangeInTurn): Promise<void> {
  const { place } = await readMemoMeta(store, key)
  if (place === 'deleted') throw new SessionError('SessionNotFound', `Session "${key}" was deleted. Undelete it before its history is replaced.`)
  if (place === 'unknown' && messages.length === 0) return
  for (let tries = 1; ; tries += 1) {
    try {
      const { branch, hidden = { summary: '' } } = await store.read(key, { view: 'context', last: 1 })
      await showWholeLine(store, key, { branch, hidden }, '', { by: 'setChatHistory' })
      break
    } catch (error) {
      if (!isSessionError(error, 'ParentMoved') || tries === mostTries) throw error
    }
  }
  await store.setHistory(key, messages)
  await inTurn(async () => {
    const { contextState, state } = await readMemoMeta(store, key)
    const { entries } = await store.read(key, { last: 1 })
    await store.updateMeta(key, { contextState: { ...contextState, turns: 0, at: entries[0]?.order ?? state.at, lastResizeTurn: 0, memoCursor: '' } })
  })
}
