import { isSessionError } from '../../../contract/errors.ts'
import type { MetaPatch } from '../../../contract/meta.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import { type MemoMeta, readMemoMeta } from './look-at-session.ts'

/** Tabs that overtake each other part after a few rounds. */
const mostTries = 50

/**
 * Changes memo and state on what they are when it is stored: another tab may have written them, and this one not heard
 * of it, even with its lock in hand.
 *
 * @param change - made anew of what is there when somebody was faster; `undefined` leaves it
 * @returns whether it was changed
 */
export async function patchMeta(
  store: SessionStore,
  key: string,
  change: (now: MemoMeta) => Pick<MetaPatch, 'memo' | 'contextState'> | undefined,
): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    const now = await readMemoMeta(store, key)
    const patch = change(now)
    if (patch === undefined) return false
    try {
      await store.updateMeta(key, patch, { previous: { memo: now.memo, contextState: now.contextState } })
      return true
    } catch (error) {
      if (!isSessionError(error, 'ParentMoved') || tries === mostTries) throw error
    }
  }
}
