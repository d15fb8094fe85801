import { SessionError } from '../contract/errors.ts'
import type { DeviceKeys } from './device-keys.ts'
import type { RunCall, SyncEngine } from './sync-engine.ts'
import type { TabState } from './tab-state.ts'

/** Makes calls to an engine of this tab, and records the key that it changed to. */
export function runInTab(state: TabState, loadKeys: () => Promise<DeviceKeys>): (engine: SyncEngine) => RunCall {
  return (engine) => async (call, how) => {
    try {
      const value = await engine.call(call, how)
      if (call[0] === 'changeKeys') await (await loadKeys()).change(call[1], call[2])
      return value
    } catch (error) {
      // The next engine repeats the call that this one could not finish.
      if (state.engine !== engine && how.signal?.aborted !== true) {
        throw new SessionError('WorkerLost', 'This tab no longer syncs. Try again.', { cause: error })
      }
      throw error
    }
  }
}
