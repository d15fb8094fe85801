import { createChangeFeed } from './change-feed.ts'
import { type Ladder, openLadder } from './ladder.ts'
import { noteEpoch } from './note-epoch.ts'
import { holdPageLock } from './page-lock.ts'
import { type ClientParts, createSessionClient } from './session-client.ts'
import type { OpenOptions, SessionClient, StoreMode } from './types.ts'

/**
 * Goes down a ladder of modes and makes a client of the first store that opens.
 *
 * @param parts - what an app may load later, or have at once
 */
export async function openStore(options: OpenOptions, modes: readonly StoreMode[], ladder: Ladder, parts: ClientParts): Promise<SessionClient> {
  const { name = 'keepsession', timeoutMs = 4000, onChange } = options
  const feed = createChangeFeed()
  if (onChange !== undefined) feed.subscribe(onChange)
  const page = holdPageLock(name)
  const opened = await openLadder(ladder, modes, { name, timeoutMs, feed, owner: page.name }).catch((error: unknown) => {
    page.release()
    throw error
  })
  const { mode, skipped, epoch } = opened
  const notify = (notice: 'degraded' | 'dataLost', message: string): void => {
    // After the caller had the chance to subscribe.
    setTimeout(() => feed.emit({ type: 'notice', name: notice, message }))
  }
  if (mode === 'memory') notify('degraded', `Nothing will be kept when this page closes. ${skipped.map((one) => `${one.mode}: ${one.reason}`).join(' ')}`)
  if (epoch !== undefined && noteEpoch(name, epoch)) {
    notify('dataLost', `The database "${name}" is not the one that was here before: it was wiped. Restore from an export or another device.`)
  }
  return createSessionClient({ ...opened, name, feed, page }, parts)
}
