import { createChangeFeed } from './change-feed.ts'
import { noteEpoch } from './note-epoch.ts'
import { type Ladder, openLadder } from './ladder.ts'
import { holdPageLock } from './page-lock.ts'
import { createSessionClient, type EphemeralStoreMaker } from './session-client.ts'
import type { OpenOptions, SessionClient, StoreMode } from './types.ts'

/** Goes down a ladder of modes and makes a client of the first store that opens. */
export async function openStore(options: OpenOptions, ladder: Ladder, defaultModes: readonly StoreMode[], createEphemeralStore: EphemeralStoreMaker): Promise<SessionClient> {
  const { name = 'keepsession', modes = defaultModes, timeoutMs = 4000, onChange } = options
  const feed = createChangeFeed()
  if (onChange !== undefined) feed.subscribe(onChange)
  const page = holdPageLock(name)
  const opened = await openLadder(ladder, modes, { name, timeoutMs, feed, owner: page.name }).catch((error: unknown) => {
    page.release()
    throw error
  })
  if (opened.mode === 'memory') {
    const reasons = opened.skipped.map(({ mode, reason }) => `${mode}: ${reason}`).join(' ')
    // After the caller had the chance to subscribe.
    setTimeout(() => feed.emit({ type: 'notice', name: 'degraded', message: `Nothing will be kept when this page closes. ${reasons}`.trim() }))
  } else {
    feed.join(name)
    if (opened.epoch !== undefined && noteEpoch(name, opened.epoch)) {
      setTimeout(() => feed.emit({ type: 'notice', name: 'dataLost', message: `The database "${name}" is not the one that was here before: the browser has deleted it. Restore from an export or another device.` }))
    }
  }
  return createSessionClient({ ...opened, name, feed, page, createEphemeralStore })
}
