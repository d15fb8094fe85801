import { SessionError } from '../contract/errors.ts'
import { deleteSessionStore } from '../client/opening/delete-session-store.ts'
import { wait } from '../client/leadership/wait.ts'
import type { SessionClient } from '../client/types.ts'
import type { Unsent } from '../sync/status.ts'
import type { CallSync } from './sync-engine.ts'
import type { SignOutMessage, SyncChannelMessage } from './sync-channel.ts'
import type { SignOutOptions } from './sync-types.ts'

/** How long the tab that syncs may take to end when the user signs out in another one. One that is frozen does so later. */
const patienceMs = 5000

export interface SignOutPlace {
  readonly client: Pick<SessionClient, 'name' | 'close' | 'forgetPurges'>
  readonly say: (message: SyncChannelMessage) => void
  readonly ask: CallSync
  /** What syncs, if it is known, and whether it is in this tab. */
  readonly leader: () => { readonly id: string | undefined; readonly isHere: boolean }
  /** Ends sync in this tab. @param message - why, where the user did not do it here */
  readonly end: (message?: string) => Promise<void>
  /** Says and hears nothing more. */
  readonly hangUp: () => void
}

/** Ends sync in all tabs of a device. */
export interface SignOut {
  signOut(options?: SignOutOptions): Promise<void>
  hear(message: SignOutMessage): void
}

export function createSignOut({ client, say, ask, leader, end, hangUp }: SignOutPlace): SignOut {
  let onEnded: (leader: string) => void = () => undefined

  const follow = async (closesStore: boolean): Promise<void> => {
    const { id, isHere } = leader()
    await end(closesStore ? 'The user has signed out in another tab, and the sessions are taken away: the store is closed.' : 'The user has signed out in another tab.')
    // Once more: a tab that was frozen ends long after the other one has done so. What can't be done here is told there.
    await forgetDevices(client.name).catch(() => undefined)
    if (closesStore) await client.close().catch(() => undefined)
    if (isHere && id !== undefined) say({ sync: 'signed-out', leader: id })
    hangUp()
  }

  return {
    hear: (message) => {
      if (message.sync === 'signed-out') onEnded(message.leader)
      else void follow(message.closesStore)
    },
    signOut: async ({ deleteSessions = false, discardUnsent = false } = {}) => {
      if (deleteSessions && !discardUnsent) checkNothingIsUnsent(await ask(['unsent']))
      const { id, isHere } = leader()
      const ended = new Promise<void>((resolve) => (onEnded = (one) => one === id && resolve()))
      say({ sync: 'sign-out', closesStore: deleteSessions })
      await end()
      if (id !== undefined && !isHere) await Promise.race([ended, wait(AbortSignal.timeout(patienceMs))])
      hangUp()
      await Promise.all([forgetDevices(client.name), client.forgetPurges()])
      if (!deleteSessions) return
      await client.close()
      await deleteSessionStore(client.name)
    },
  }
}

async function forgetDevices(name: string): Promise<void> {
  const { deleteMemoryTable } = await import('../sync/memory-table.ts')
  await deleteMemoryTable(name)
}

/** @throws Unsent */
function checkNothingIsUnsent({ sessions, attachments }: Unsent): void {
  if (sessions.length + attachments === 0) return
  const names = sessions.length === 0 ? '' : ` (${JSON.stringify(sessions[0])}${sessions.length > 1 ? ', …' : ''})`
  throw new SessionError('Unsent', `${sessions.length} sessions${names} and ${attachments} attachments were not sent to any other device, and would be lost. Nothing was done. Let them be sent (syncNow), or sign out with discardUnsent.`)
}
