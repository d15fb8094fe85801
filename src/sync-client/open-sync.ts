import type { SessionClient } from '../client/client-contract.ts'
import { drawId } from '../client/session/draw-id.ts'
import { invalidateReads } from '../client/session/invalidate-reads.ts'
import { holdPageLock } from '../client/worker/page-lock.ts'
import { isSessionError, SessionError } from '../contract/errors.ts'
import { checkNamespace } from '../sync/check-namespace.ts'
import { checkPresenceOptions } from '../sync/presence/check-presence-options.ts'
import type { SyncCall } from '../sync/sync-protocol.ts'
import { followLeader } from './follow-leader.ts'
import { handleMessages } from './handle-messages.ts'
import { lazyDeviceKeys } from './lazy-device-keys.ts'
import { leadSync } from './lead-sync.ts'
import { runInTab } from './run-in-tab.ts'
import { createSignOut } from './sign-out.ts'
import { engineStarter } from './start-engine.ts'
import { openSyncChannel } from './sync-channel.ts'
import type { CallSync } from './sync-engine.ts'
import type { DeviceSync, OpenSyncOptions } from './sync-types.ts'
import { createTabBroadcast } from './tab-broadcast.ts'
import { createTabCalls, type TabCalls } from './tab-calls.ts'
import { createTabEnd, type TabEnd } from './tab-end.ts'
import { createTabSnapshot } from './tab-snapshot.ts'
import { notePause, type TabState } from './tab-state.ts'
import { watchInTabs } from './watch-in-tabs.ts'

/**
 * Keeps the sessions of a store in sync with other devices. One tab does it for all; every tab may open it, watch it
 * and call it.
 */
export function openSync(client: SessionClient, options: OpenSyncOptions): DeviceSync {
  checkNamespace(options.namespace, options.keys)
  if (options.presence !== undefined) checkPresenceOptions(options.presence)
  const { name: tab, release } = holdPageLock(client.name)
  const start = engineStarter(client, options)
  const channel = openSyncChannel(client.name)
  const snapshot = createTabSnapshot()
  const state: TabState = { engine: undefined, leader: undefined, device: drawId(), isPaused: options.paused === true }
  const loadKeys = lazyDeviceKeys(client.name, options.namespace, options.keys)
  const broadcast = createTabBroadcast(channel, state, snapshot)
  const calls = createTabCalls(channel.post, loadKeys)
  const watches = watchInTabs(tab, channel, state)
  const follower = followLeader({ channel, state, snapshot, calls, watches })
  const ending = createTabEnd({ tab, release, channel, state, snapshot, calls, watches })
  const ask = askInTab(client, state, calls, ending)
  const signingOut = createSignOut({
    client,
    post: channel.post,
    ask,
    leader: () => ({ id: state.leader, isHere: state.engine !== undefined }),
    end: ending.end,
    closeChannel: channel.close,
  })
  channel.listen(handleMessages({ state, snapshot, broadcast, calls, watches, follower, signingOut }))
  follower.greet()

  const findKeys = async () => options.keys && (await loadKeys()).find()
  const runIn = runInTab(state, loadKeys)
  const lead = leadSync({ state, snapshot, broadcast, calls, watches, start, findKeys, runIn })
  const leading = client.lead(lead, { signal: ending.signal, isLasting: true }).catch((error: unknown) => {
    if (!ending.signal.aborted && !isSessionError(error, 'StorageClosed'))
      snapshot.showError((error as Error).message, false)
  })
  ending.waitFor(leading)

  return {
    ...callsOfSync(client, ask),
    subscribe: snapshot.subscribe,
    getSnapshot: snapshot.get,
    watch: watches.watch,
    setTyping: (key, isTyping) => {
      if (state.engine === undefined) channel.post({ sync: 'typing', key, isTyping })
      else state.engine.setTyping(key, isTyping)
    },
    close: ending.close,
    signOut: signingOut.signOut,
    [Symbol.asyncDispose]: ending.close,
  }
}

/** Asks whoever leads, until sync ends in this tab. */
function askInTab(client: SessionClient, state: TabState, calls: TabCalls, ending: TabEnd): CallSync {
  return async (call, how) => {
    // The worker that syncs must find in the database what was answered before.
    if (looksAtEntries(call)) await client.store.flush().catch(() => undefined)
    if (ending.isEnding()) throw new SessionError('StorageClosed', 'Sync was closed in this tab. Open it again.')
    notePause(state, call)
    return calls.ask(call, how)
  }
}

/** Whether the answer to a call depends on what is stored. */
const looksAtEntries = ([method]: SyncCall): boolean => /^(plan|syncNow|unsent)$/.test(method)

/** What an app calls and waits for. */
function callsOfSync(
  client: SessionClient,
  ask: CallSync,
): Pick<DeviceSync, 'plan' | 'syncNow' | 'changeKeys' | 'pause' | 'resume' | 'unsent'> {
  return {
    plan: (signal) => ask(['plan'], { signal }),
    syncNow: async (signal) => {
      const status = await ask(['syncNow'], { signal })
      // Another worker, maybe of another tab, has stored what arrived.
      invalidateReads(client)
      return status
    },
    changeKeys: (to, { from, ...how } = {}) => ask(['changeKeys', to, from], how),
    pause: () => ask(['pause']),
    resume: () => ask(['resume']),
    unsent: (signal) => ask(['unsent'], { signal }),
  }
}
