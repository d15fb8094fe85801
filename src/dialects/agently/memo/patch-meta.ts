import { isSessionError } from '../../../contract/errors.ts'
import type { MetaPatch } from '../../../contract/meta.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import { type MemoMeta, readMemoMeta } from './look-at-session.ts'

/** Tabs that conflict with each other are through after a few rounds. */
const mostTries = 50

/**
 * Changes memo and state, based on their current values: another tab may have written them, and the change may not have
 * arrived here yet, even while this tab has the lock.
 *
 * @param change - called again with the current values after a conflict; returns `undefined` to change nothing
 * @param session - which session is meant (see `SessionOptions`). Default: the one that has the key
 * @returns whether it was changed
 */
export async function patchMeta(
  store: SessionStore,
  key: string,
  change: (now: MemoMeta) => Pick<MetaPatch, 'memo' | 'contextState'> | undefined,
  session?: number,
): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    const now = await readMemoMeta(store, key)
    const patch = change(now)
    if (patch === undefined) return false
    try {
      const previous = { memo: now.memo, contextState: now.contextState }
      await store.updateMeta(key, patch, session === undefined ? { previous } : { previous, session })
      return true
    } catch (error) {
      if (!isSessionError(error, 'ParentMoved') || tries === mostTries) throw error
    }
  }
}
