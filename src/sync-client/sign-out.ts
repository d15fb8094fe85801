import type { SessionClient } from '../client/client-contract.ts'
import { wait } from '../client/leadership/wait.ts'
import { deleteSessionStore } from '../client/opening/delete-session-store.ts'
import { SessionError } from '../contract/errors.ts'
import type { Unsent } from '../sync/status.ts'
import type { SignOutMessage, SyncChannelMessage } from './sync-channel.ts'
import type { CallSync } from './sync-engine.ts'
import type { SignOutOptions } from './sync-types.ts'

/** How long the tab that syncs may take to end when the user signs out in another tab. A frozen tab does so later. */
const patienceMs = 5000

export interface SignOutContext {
  readonly client: Pick<SessionClient, 'name' | 'close' | 'store'>
  readonly post: (message: SyncChannelMessage) => void
  readonly ask: CallSync
  /** The engine that syncs, if it is known, and whether it is in this tab. */
  readonly leader: () => { readonly id: string | undefined; readonly isHere: boolean }
  /** Ends sync in this tab. @param message - why, unless the user did it here */
  readonly end: (message?: string) => Promise<void>
  /** Sends and receives nothing more. */
  readonly closeChannel: () => void
}

/** Ends sync in all tabs of a device. */
export interface SignOut {
  signOut(options?: SignOutOptions): Promise<void>
  handle(message: SignOutMessage): void
}

export function createSignOut({ client, post, ask, leader, end, closeChannel }: SignOutContext): SignOut {
  let onEnded: (leader: string) => void = () => undefined

  const follow = async (closesStore: boolean): Promise<void> => {
    const { id, isHere } = leader()
    await end(
      closesStore
        ? 'The user has signed out in another tab, and the sessions are deleted: the store is closed.'
        : 'The user has signed out in another tab.',
    )
    // Once more, because a frozen tab ends long after the other one has done this. The other tab reports failures.
    await forgetDevices(client.name).catch(() => undefined)
    if (closesStore) await client.close().catch(() => undefined)
    if (isHere && id !== undefined) post({ sync: 'signed-out', leader: id })
    closeChannel()
  }

  return {
    handle: (message) => {
      if (message.sync === 'signed-out') onEnded(message.leader)
      else void follow(message.closesStore)
    },
    signOut: async ({ deleteSessions = false, discardUnsent = false } = {}) => {
      if (deleteSessions && !discardUnsent) checkNothingIsUnsent(await ask(['unsent']))
      const { id, isHere } = leader()
      const ended = new Promise<void>((resolve) => (onEnded = (one) => one === id && resolve()))
      post({ sync: 'sign-out', closesStore: deleteSessions })
      await end()
      if (id !== undefined && !isHere) await Promise.race([ended, wait(AbortSignal.timeout(patienceMs))])
      closeChannel()
      const forgotten = await Promise.allSettled([forgetDevices(client.name), client.store.forgetPurges()])
      // What could not be forgotten is no reason to leave the sessions here.
      if (deleteSessions) {
        await client.close()
        await deleteSessionStore(client.name)
      }
      for (const outcome of forgotten) if (outcome.status === 'rejected') throw outcome.reason
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
  throw new SessionError(
    'Unsent',
    `${sessions.length} sessions${names} and ${attachments} attachments were not sent to any other device, and would be lost. Nothing was done. Let them be sent (syncNow), or sign out with discardUnsent.`,
  )
}
