import { createSessionManager, type ManagedSession } from '../../src/aixgo.ts'
import type { SessionClient } from '../../src/index.ts'
import { readLocal, writeLocal } from '../ui/local.ts'

/** Replies after which a checkpoint is made by itself. */
export const everyTurns = 3
/** The longest time that a reply goes without one. */
const interval = '5m'

/** Makes checkpoints of the conversations that replies are written to, when the user wants that. */
export interface AutoSave {
  isOn(): boolean
  set(isOn: boolean): void
  /** A handle to write a reply with: what is written by it is followed by checkpoints. */
  open(key: string): Promise<ManagedSession>
  /** The reply is written. */
  done(session: ManagedSession): Promise<void>
}

export function createAutoSave(client: SessionClient): AutoSave {
  const manager = createSessionManager(client, {
    name: client.name,
    checkpoint: { autoSave: true, interval, everyTurns },
  })
  /** Handles that count what is written; they stay open from one reply to the next. */
  const counting = new Set<ManagedSession>()
  const isOn = (): boolean => readLocal('auto-save') === 'true'

  return {
    isOn,
    set(on) {
      writeLocal('auto-save', on ? 'true' : undefined)
    },
    async open(key) {
      if (!isOn()) return client.session(key)
      try {
        const session = await manager.get(key)
        counting.add(session)
        return session
      } catch {
        // A manager takes only keys that can be part of a path; what others have are the checkpoints made by hand.
        return client.session(key)
      }
    },
    async done(session) {
      if (isOn() && counting.has(session)) return
      counting.delete(session)
      await session.close()
    },
  }
}
