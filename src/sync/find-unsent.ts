import type { SessionStore } from '../contract/store.ts'
import { planSync } from './plan-sync.ts'
import type { SessionWindow } from './session-window.ts'
import { standingOf } from './session-standing.ts'
import type { SettledSessions } from './settled-sessions.ts'
import type { Unsent } from './status.ts'
import type { ListTeller } from './tell-list.ts'
import type { UnderKey } from './under-key.ts'
import type { UntoldPurges } from './purge-reports.ts'

export interface UnsentPlace {
  readonly store: Pick<SessionStore, 'getBlob'>
  readonly our: UnderKey
  readonly window: Pick<SessionWindow, 'state'>
  readonly settled: SettledSessions
  readonly teller: Pick<ListTeller, 'isUntold'>
  readonly purges: Pick<UntoldPurges, 'all' | 'load'>
  /** Blobs that an earlier run left. */
  readonly leftBlobs: readonly string[]
}

/** Finds what the other side is not known to have, connected or not: the list says what was exchanged once. */
export async function findUnsent({ store, our, window, settled, teller, purges, leftBlobs }: UnsentPlace): Promise<Unsent> {
  await Promise.all([our.locals.refresh(), purges.load()])
  const { upload, exchange } = planSync(our.locals, our.index.entries())
  // They never come to have the same where something of theirs is refused here.
  const isSent = (key: string): boolean => window.state(key) === 'synced' && settled.has(key)
  const sessions = [...upload, ...exchange].filter((key) => !isSent(key))
  const open = [...new Set([...our.blobs.open(), ...leftBlobs])]
  // What is not here is not ours to send.
  const here = await Promise.all(open.map((hash) => store.getBlob(hash).catch(() => undefined)))
  const untold = purges.all().flatMap(({ key }) => (teller.isUntold(key) ? [key] : []))
  // What is kept because it was purged elsewhere is nowhere else. Nobody knows how much was sent of what can't be read.
  const kept = [...our.locals.all.values()].flatMap((local) => (standingOf(local, our.index.entries().get(local.id)) === 'kept' ? [local.listing.key] : []))
  return { sessions: [...sessions, ...kept, ...our.locals.unreadable.keys(), ...untold], attachments: here.filter((blob) => blob !== undefined).length }
}
