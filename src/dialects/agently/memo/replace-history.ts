import { replaceLine } from '../../../client/context/replace-line.ts'
import { SessionError } from '../../../contract/errors.ts'
import type { Message } from '../../../contract/message.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import type { ChangeInTurn } from './change-in-turn.ts'
import { readMemoMeta } from './look-at-session.ts'
import { patchMeta } from './patch-meta.ts'

/**
 * Makes both views of a session equal to a list, and drops the replacement of the hidden part. Resets turns and the
 * memo's position; the memo stays.
 *
 * @throws SessionNotFound when the session was deleted: emptying its history must not restore it
 * Source: Agently, `set_chat_history`
 */
export async function replaceHistory(
  store: SessionStore,
  key: string,
  messages: readonly Message[],
  inTurn: ChangeInTurn,
): Promise<void> {
  const { place } = await readMemoMeta(store, key)
  if (place === 'deleted')
    throw new SessionError(
      'SessionNotFound',
      `Session "${key}" was deleted. Undelete it before you replace its history.`,
    )
  if (place === 'unknown' && messages.length === 0) return
  await replaceLine(store, key, messages)
  await inTurn(async () => {
    const { entries } = await store.read(key, { last: 1 })
    await patchMeta(store, key, ({ contextState, state }) => ({
      contextState: { ...contextState, turns: 0, at: entries[0]?.order ?? state.at, lastResizeTurn: 0, memoCursor: '' },
    }))
  })
}
