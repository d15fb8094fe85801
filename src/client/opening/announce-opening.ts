import type { LostData, NoticeChange } from '../../contract/change.ts'
import type { SessionClient } from '../client-contract.ts'
import { keepRetention } from '../retention/keep-retention.ts'
import { noteWorker } from '../session/invalidate-reads.ts'
import { closeWhenDeleted } from '../upkeep/close-when-deleted.ts'
import { reclaimRoom } from '../upkeep/reclaim-room.ts'
import { announceRefill, keepMirrorLater } from '../upkeep/refill-from-mirror.ts'
import { resumeEncryption } from '../upkeep/resume-encryption.ts'
import { watchSpace } from '../upkeep/watch-space.ts'
import { describeLoss, keepMarker, lastKnown, noteEpoch } from '../worker/loss-marker.ts'
import { followTail } from '../worker/tail-marker.ts'
import type { LadderResult, OpeningAttempt } from './ladder.ts'
import { isDurable } from './storage-of-mode.ts'
import { timeText } from './time-text.ts'

/**
 * Delay before the browser is asked how full the storage is: it counts all that the origin has, and the page can show
 * its content first.
 */
const spaceMs = 2000

/**
 * Announces what the user should know about a store that was just opened: that it keeps nothing, or has lost something.
 * Starts the background work that belongs to an open store.
 */
export async function announceOpening(
  opened: LadderResult,
  attempt: OpeningAttempt,
  client: Pick<SessionClient, 'lead' | 'close'>,
): Promise<void> {
  const { store, mode, skipped, epoch, moved, mirror, refill, encryption } = opened
  const { name, feed, retention } = attempt
  noteWorker(client, opened)
  if (!feed.ending.aborted) closeWhenDeleted(attempt, client)
  const notify = (notice: NoticeChange['name'], message: string, lost: Partial<LostData> = {}): void => {
    if (feed.ending.aborted) return
    const { sessions, updatedAt } = lost
    feed.emit({
      type: 'notice',
      name: notice,
      message,
      ...(sessions === undefined || updatedAt === undefined ? {} : { lost: { sessions, updatedAt } }),
    })
  }
  if (!isDurable(mode))
    notify(
      'degraded',
      `Nothing will be kept when this page closes. ${skipped.map((one) => `${one.mode}: ${one.reason}`).join(' ')}`,
    )
  const hidden = epoch === undefined && skipped.length > 0 ? lastKnown(name) : undefined
  if (hidden !== undefined)
    notify(
      'degraded',
      `The database "${name}", which was here before, can't be opened now, so its sessions are not shown. As far as is known, they are not lost.${describeLoss(hidden)}`,
    )
  if (moved !== undefined && moved.sessions.length > 0)
    notify(
      'moved',
      `Sessions that an earlier run kept in Web Storage were moved into the database: ${moved.sessions.length}.`,
    )
  if (moved !== undefined && moved.left.length > 0) {
    notify(
      'degraded',
      `Sessions stay in Web Storage for now: ${moved.left.length}. ${attempt.encryption === undefined ? '' : 'They are not encrypted there. '}The next start tries to move them again. ${moved.left[0]!.reason}`,
    )
  }
  if (refill !== undefined) announceRefill(refill, attempt, true)
  // Changing the encryption compares with the mirror as well.
  if (encryption?.isMixed) resumeEncryption(opened, attempt)
  else if (mirror?.isOn) keepMirrorLater(mode, attempt, client, refill !== undefined)
  if (feed.ending.aborted) return
  if (isDurable(mode)) {
    const timer = setTimeout(() => void watchSpace({ store, feed }), spaceMs)
    feed.ending.addEventListener('abort', () => clearTimeout(timer))
  }
  if (epoch !== undefined) reclaimRoom({ name, feed })
  if (retention !== undefined) keepRetention({ store, name, feed }, retention, client)
  if (epoch === undefined) return
  keepMarker(attempt, store)
  // Checked before anybody writes to the sessions. If there is a mirror, they are restored from it and the restore
  // reports it.
  void followTail(attempt, store, epoch, (missing) => {
    if (mirror?.isOn) return
    notify(
      'dataLost',
      `The browser lost the end of the database "${name}". The newest entries are missing, up to ${timeText(missing.updatedAt)}, in ${missing.sessions} sessions. Restore them from an export or another device.`,
      missing,
    )
  })
  const lost = await noteEpoch(attempt, epoch)
  if (lost !== undefined && refill === undefined)
    notify(
      'dataLost',
      `The database "${name}" is not the one that was here before: it was wiped. Restore from an export or another device.${describeLoss(lost)}`,
      lost,
    )
}
