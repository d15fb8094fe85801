import { holdInUse } from '../../../client/session/in-use.ts'
import { releaseSession } from '../../../client/session/session.ts'
import type { Session } from '../../../client/session-contract.ts'
import { checkId } from '../../../domain/identity/check-id.ts'
import { autoSave } from './auto-save.ts'
import type { AutoSaveSettings, ManagedSession } from './manager-types.ts'
import type { WriteFeed } from './write-feed.ts'

/** The sessions that a manager has open. */
export interface ManagedSessions {
  /** Returns one object for each session, also to concurrent callers. */
  open(key: string): Promise<ManagedSession>
  close(key: string): Promise<void>
  closeAll(): Promise<void>
}

/**
 * @param name - of the database
 * @param load - finds a session and opens a handle to it
 * @param refuseClosed - throws once the manager is closed
 * @param writes - reports the writes that make checkpoints necessary; `undefined` when none are made automatically
 */
export function createManagedSessions(
  name: string,
  load: (key: string) => Promise<Session>,
  refuseClosed: () => void,
  checkpoint: AutoSaveSettings,
  writes: WriteFeed | undefined,
): ManagedSessions {
  const sessions = new Map<string, ManagedSession>()

  function manage(key: string, handle: Session, endUse: () => void): ManagedSession {
    const saved = writes && autoSave(handle, checkpoint)
    const unfollow = saved && writes.follow(key, saved.onWrite)
    const close = async (): Promise<void> => {
      if (sessions.get(key) === session) sessions.delete(key)
      try {
        await releaseSession(handle)
        await saved?.save()
      } finally {
        unfollow?.()
        endUse()
      }
    }
    const session: ManagedSession = {
      ...handle,
      checkpoints: {
        ...handle.checkpoints,
        restore: async (id, options) => handle.checkpoints.restore(checkId(id, 'checkpoint'), options),
        delete: async (id) => handle.checkpoints.delete(checkId(id, 'checkpoint')),
      },
      close,
      [Symbol.asyncDispose]: close,
    }
    sessions.set(key, session)
    return session
  }

  return {
    open: async (key) => {
      const opened = sessions.get(key)
      if (opened !== undefined) return opened
      const use = holdInUse(name, key)
      await use.ready
      let handle: Session
      try {
        handle = await load(key)
        refuseClosed()
      } catch (error) {
        use.end()
        throw error
      }
      const openedMeanwhile = sessions.get(key)
      if (openedMeanwhile === undefined) return manage(key, handle, use.end)
      use.end()
      return openedMeanwhile
    },
    close: async (key) => sessions.get(key)?.close(),
    closeAll: async () => void (await Promise.allSettled([...sessions.values()].map((session) => session.close()))),
  }
}
