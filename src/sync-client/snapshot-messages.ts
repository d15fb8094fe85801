import { afterChange, changeBetween, type SnapshotChange } from '../sync/snapshot-change.ts'
import type { SyncStanding } from '../sync/sync-standing.ts'

/**
 * A snapshot on its way to the other tabs: whole for those that have none, or what has changed since the previous one.
 */
export type SnapshotMessage = { readonly at: number } & (
  | { readonly snapshot: SyncStanding }
  | { readonly change: SnapshotChange }
)

/** Creates the messages of the tab that leads. */
export interface SnapshotSender {
  whole(snapshot: SyncStanding): SnapshotMessage
  change(snapshot: SyncStanding): SnapshotMessage
}

export function createSnapshotSender(): SnapshotSender {
  let sent: SyncStanding | undefined
  let at = 0
  const whole = (snapshot: SyncStanding): SnapshotMessage => ({ at: (at += 1), snapshot: (sent = snapshot) })
  return {
    whole,
    change: (snapshot) => {
      if (sent === undefined) return whole(snapshot)
      const change = changeBetween(sent, snapshot)
      sent = snapshot
      return { at: (at += 1), change }
    },
  }
}

/**
 * @returns a function that restores the snapshots of a sender; `undefined` if a message is missing, so that a whole
 *   snapshot has to be requested
 */
export function createSnapshotReceiver(): (message: SnapshotMessage) => SyncStanding | undefined {
  let last: { readonly at: number; readonly snapshot: SyncStanding } | undefined
  return (message) => {
    const { at } = message
    if ('snapshot' in message) last = { at, snapshot: message.snapshot }
    else if (last?.at === at - 1) last = { at, snapshot: afterChange(last.snapshot, message.change) }
    else last = undefined
    return last?.snapshot
  }
}
