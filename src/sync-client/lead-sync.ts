import { wait } from '../client/leadership/wait.ts'
import { drawId } from '../client/session/draw-id.ts'
import type { SyncKeys } from '../sync/encryption/sync-keys.ts'
import type { SyncStanding } from '../sync/sync-standing.ts'
import type { RunCall, StartEngine, SyncEngine } from './sync-engine.ts'
import type { TabBroadcast } from './tab-broadcast.ts'
import type { TabCalls } from './tab-calls.ts'
import type { TabSnapshot } from './tab-snapshot.ts'
import type { TabState } from './tab-state.ts'
import type { TabWatches } from './watch-in-tabs.ts'

/** Wait in milliseconds before a worker that was lost is replaced. */
const restartMs = 1000

export interface LeadSyncOptions {
  readonly state: TabState
  readonly snapshot: TabSnapshot
  readonly broadcast: TabBroadcast
  readonly calls: TabCalls
  readonly watches: TabWatches
  readonly start: StartEngine
  /** The keys to sync with now. */
  readonly findKeys: () => Promise<SyncKeys | undefined>
  /** Does calls by an engine of this tab. */
  readonly runIn: (engine: SyncEngine) => RunCall
}

/** Syncs for all tabs of a device, while this tab leads: one engine after the other, if need be. */
export function leadSync(options: LeadSyncOptions): (term: number, signal: AbortSignal) => Promise<void> {
  const { state, snapshot, broadcast } = options
  return async (term, signal) => {
    while (!signal.aborted) {
      let engine: SyncEngine | undefined
      state.leader = undefined
      try {
        const opened = await openEngine(options, term, signal)
        engine = opened.engine
        announce(options, engine, opened.latest())
        await Promise.race([engine.lost, wait(signal)])
      } catch (error) {
        snapshot.showError((error as Error).message, true)
        broadcast.snapshot('change')
      }
      await retire(options, engine)
      await wait(signal, restartMs)
    }
    snapshot.show(snapshot.get(), false)
  }
}

/** Starts an engine. `latest` is the last snapshot that it has sent. */
async function openEngine(
  { state, snapshot, broadcast, start, findKeys }: LeadSyncOptions,
  term: number,
  signal: AbortSignal,
): Promise<{ readonly engine: SyncEngine; readonly latest: () => SyncStanding | undefined }> {
  let latest: SyncStanding | undefined
  const engine = await start({
    term,
    paused: state.isPaused,
    device: state.device,
    keys: await findKeys(),
    onSnapshot: (next) => {
      latest = next
      // Only after the engine is ready, because a tab that learns of it may send calls at once.
      if (signal.aborted || state.engine === undefined) return
      snapshot.show(next, true)
      broadcast.snapshot('change')
    },
    onPresence: (presence) => {
      if (signal.aborted || state.leader === undefined) return
      snapshot.showPresence(presence)
      broadcast.presence(presence)
    },
  })
  return { engine, latest: () => latest }
}

/** Tells all tabs that an engine is ready. */
function announce(options: LeadSyncOptions, engine: SyncEngine, latest: SyncStanding | undefined): void {
  const { state, snapshot, broadcast, calls, watches, runIn } = options
  state.engine = engine
  state.leader = drawId()
  calls.follow(state.leader, runIn(engine))
  snapshot.show(latest ?? snapshot.get(), true)
  broadcast.snapshot('whole')
  // The peers that the previous tab has seen may be gone.
  snapshot.showPresence({})
  broadcast.presence({})
  watches.lead()
}

async function retire(
  { state, snapshot, broadcast, calls }: LeadSyncOptions,
  engine: SyncEngine | undefined,
): Promise<void> {
  state.engine = undefined
  calls.suspend()
  // From now on nothing reports which peers are present.
  snapshot.showPresence({})
  broadcast.presence({})
  state.leader = undefined
  // The engine may finish its current work, but its term is over.
  await Promise.race([engine?.call(['close']).catch(() => undefined), wait(AbortSignal.timeout(restartMs))])
  engine?.end()
}
