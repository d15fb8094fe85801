import type { SyncCall } from '../sync/sync-protocol.ts'
import type { SentCall } from './sync-channel.ts'
import type { SyncEngine } from './sync-engine.ts'

/** What a tab knows of the sync of its device. */
export interface TabState {
  /** The engine of this tab, while it leads. */
  engine: SyncEngine | undefined
  /** Names the engine that syncs, in whichever tab; absent while there is none. */
  leader: string | undefined
  /** The name of this device for others, which all its tabs share. The first leading tab has drawn it. */
  device: string
  /**
   * What was last asked for, in whichever tab. The snapshot may show something else: an engine that could not start
   * shows an error, but the next one has to be paused anyway.
   */
  isPaused: boolean
}

/** Records that a pause or its end was asked for. Every tab does, because any of them may lead next. */
export function notePause(state: TabState, [method]: SyncCall | SentCall): void {
  if (method === 'pause' || method === 'resume') state.isPaused = method === 'pause'
}
