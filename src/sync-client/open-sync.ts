import { isSessionError, SessionError } from '../contract/errors.ts'
import { createChangeFeed } from '../client/session/change-feed.ts'
import { drawId } from '../client/session/draw-id.ts'
import { wait } from '../client/leadership/wait.ts'
import { holdPageLock } from '../client/worker/page-lock.ts'
import { readAnew } from '../client/session/read-anew.ts'
import type { SessionClient } from '../client/types.ts'
import { checkNamespace } from '../sync/check-namespace.ts'
import type { SyncKeys } from '../sync/encryption/sync-keys.ts'
import { checkPresenceOptions } from '../sync/presence/check-presence-options.ts'
import type { SyncStanding } from '../sync/sync-standing.ts'
import type { SyncCall, SyncPresence, SyncSnapshot } from '../sync/sync-protocol.ts'
import type { DeviceKeys } from './device-keys.ts'
import type { CallSync, SyncEngine } from './sync-engine.ts'
import { createSignOut } from './sign-out.ts'
import { engineStarter } from './start-engine.ts'
import { openSyncChannel, type SentCall } from './sync-channel.ts'
import { createTabCalls, type RunCall } from './tab-calls.ts'
import { createSnapshotHearer, createSnapshotTeller, type SnapshotTeller } from './told-snapshots.ts'
import type { DeviceSync, DeviceSyncSnapshot, OpenSyncOptions } from './sync-types.ts'
import { createWatchedKeys } from './watched-keys.ts'

/** Wait before a worker that was lost is replaced. */
const restartMs = 1000
/** How often whoever leads asks the other tabs what they look at. */
const rollMs = 30_000

const nothing: SyncSnapshot = {
  status: { state: 'connecting', pending: 0, progress: { done: 0, total: 0 }, report: { sent: 0, received: 0, merged: 0, purged: 0, quarantined: [], quarantinedCount: 0, blobs: { sent: 0, received: 0, missing: 0 }, notices: [] } },
  sessions: [],
  states: {},
  presence: {},
}

/** Keeps the sessions of a store equal with those of other devices. One tab does it for all; every tab may open it, see how it stands and ask for things. */
export function openSync(client: SessionClient, options: OpenSyncOptions): DeviceSync {
  checkNamespace(options.namespace, options.keys)
  if (options.presence !== undefined) checkPresenceOptions(options.presence)
  const { name: me, release } = holdPageLock(client.name)
  const start = engineStarter(client, options)
  const channel = openSyncChannel(client.name)
  const listeners = createChangeFeed<void>()
  const ending = new AbortController()
  let keys: Promise<DeviceKeys> | undefined
  const loadKeys = async (first: SyncKeys | undefined): Promise<DeviceKeys> => {
    if (first === undefined) throw new SessionError('InvalidInput', 'This sync has no key that could be changed. Close it, and open it with keys.')
    return (keys ??= import('./device-keys.ts').then(({ createDeviceKeys }) => createDeviceKeys(client.name, options.namespace, first)))
  }
  const teller = createSnapshotTeller()
  let hearer = createSnapshotHearer()
  const calls = createTabCalls(channel.say, () => loadKeys(options.keys))
  let snapshot: DeviceSyncSnapshot = { ...nothing, isLeader: false }
  let engine: SyncEngine | undefined
  let leader: string | undefined
  /** What all tabs of this device are for others: whoever leads first has drawn it. */
  let device = drawId()
  /** What was asked for last, in whatever tab. Not what is shown: an engine that could not start shows an error, and the next one is to be paused all the same. */
  let isPaused = options.paused === true
  let isGreeting = false

  const show = (next: SyncStanding, isLeader: boolean): void => {
    snapshot = { ...snapshot, ...next, isLeader }
    listeners.emit()
  }
  const notePause = ([method]: SyncCall | SentCall): void => {
    if (method === 'pause' || method === 'resume') isPaused = method === 'pause'
  }
  const tell = (how: keyof SnapshotTeller): void => {
    const { isLeader, status, sessions, states } = snapshot
    if (isLeader) channel.say({ sync: 'snapshot', leader, device, isPaused, told: teller[how]({ status, sessions, states }) })
  }

  const showPresence = (presence: SyncPresence): void => {
    snapshot = { ...snapshot, presence }
    listeners.emit()
  }
  const watched = createWatchedKeys(() => {
    engine?.watch(watched.all())
    tellWatched()
  })
  /** Whoever leads hears it, now or later. */
  const tellWatched = (): void => {
    if (engine === undefined) channel.say({ sync: 'watching', tab: me, keys: watched.own() })
  }

  channel.hear((message) => {
    if (message.sync === 'hello') {
      tell('whole')
      if (leader !== undefined && engine !== undefined) channel.say({ sync: 'presence', leader, presence: snapshot.presence })
    } else if (message.sync === 'snapshot') {
      if (engine !== undefined) return
      if (leader !== message.leader) hearer = createSnapshotHearer()
      const heard = hearer(message.told)
      if (heard === undefined) greet()
      else show(heard, false)
      isGreeting &&= heard === undefined
      device = message.device
      isPaused = message.isPaused
      if (leader === message.leader) return
      leader = message.leader
      if (leader === undefined) return calls.rest()
      if (watched.own().length > 0) tellWatched()
      calls.follow(leader)
    } else if (message.sync === 'presence') {
      if (engine === undefined && message.leader === leader) showPresence(message.presence)
    } else if (message.sync === 'roll') tellWatched()
    else if (message.sync === 'watching') {
      watched.hear(message.tab, message.keys)
      engine?.watch(watched.all())
    } else if (message.sync === 'typing') engine?.setTyping(message.key, message.isTyping)
    else if (message.sync === 'sign-out' || message.sync === 'signed-out') signingOut.hear(message)
    else {
      // Every tab hears it: whichever leads next.
      if (message.sync === 'ask') notePause(message.call)
      calls.hear(message)
    }
  })
  /** Asks for a whole snapshot, once. */
  const greet = (): void => {
    if (!isGreeting) channel.say({ sync: 'hello' })
    isGreeting = true
  }
  greet()

  /** Has it done by an engine of this tab. */
  const runIn = (own: SyncEngine): RunCall => async (call, how) => {
    try {
      const value = await own.call(call, how)
      if (call[0] === 'changeKeys') await (await loadKeys(options.keys)).change(call[1], call[2])
      return value
    } catch (error) {
      // What it did not end because it was given up, the next one does.
      if (engine !== own && how.signal?.aborted !== true) throw new SessionError('WorkerLost', 'This tab does no longer sync. Ask again.', { cause: error })
      throw error
    }
  }

  const serve = async (term: number, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      let own: SyncEngine | undefined
      let latest: SyncStanding | undefined
      leader = undefined
      try {
        own = await start({
          term,
          paused: isPaused,
          device,
          keys: options.keys && (await (await loadKeys(options.keys)).find()),
          onSnapshot: (next) => {
            latest = next
            // Whoever hears of it asks for something at once.
            if (signal.aborted || engine === undefined) return
            show(next, true)
            tell('change')
          },
          onPresence: (presence) => {
            if (signal.aborted || leader === undefined) return
            showPresence(presence)
            channel.say({ sync: 'presence', leader, presence })
          },
        })
        engine = own
        leader = drawId()
        calls.follow(leader, runIn(own))
        show(latest ?? snapshot, true)
        tell('whole')
        // Whom the tab that led before has seen may be gone.
        showPresence({})
        channel.say({ sync: 'presence', leader, presence: {} })
        watched.forgetOthers()
        engine.watch(watched.all())
        channel.say({ sync: 'roll' })
        await Promise.race([engine.lost, wait(signal)])
      } catch (error) {
        const message = (error as Error).message
        show({ ...snapshot, status: { ...snapshot.status, state: 'error', message } }, true)
        tell('change')
      }
      engine = undefined
      calls.rest()
      // Nobody says any more who is there.
      showPresence({})
      if (leader !== undefined) channel.say({ sync: 'presence', leader, presence: {} })
      leader = undefined
      // What it has under way it may end; its term is over all the same.
      await Promise.race([own?.call(['close']).catch(() => undefined), wait(AbortSignal.timeout(restartMs))])
      own?.end()
      await wait(signal, restartMs)
    }
    show(snapshot, false)
  }
  const rolling: ReturnType<typeof setInterval> & { unref?: () => void } = setInterval(() => {
    if (engine === undefined || !watched.callRoll()) return
    engine.watch(watched.all())
    channel.say({ sync: 'roll' })
  }, rollMs)
  // In Node it would keep the process alive.
  rolling.unref?.()
  const serving = client.lead(serve, { signal: ending.signal, isLasting: true }).catch((error: unknown) => {
    if (ending.signal.aborted || isSessionError(error, 'StorageClosed')) return
    show({ ...snapshot, status: { ...snapshot.status, state: 'error', message: (error as Error).message } }, false)
  })

  const ask: CallSync = (call, how) => {
    if (closing !== undefined) return Promise.reject(new SessionError('StorageClosed', 'Sync was closed in this tab. Open it again.'))
    notePause(call)
    return calls.ask(call, how)
  }

  /** @param message - why, where it was not this tab that closed it */
  const end = async (message?: string): Promise<void> => {
    const over = engine
    engine = undefined
    calls.close(new SessionError('StorageClosed', 'Sync was closed in this tab.'))
    await over?.call(['close']).catch(() => undefined)
    ending.abort()
    await serving
    clearInterval(rolling)
    const { message: _, ...status } = snapshot.status
    show({ ...snapshot, status: { ...status, state: 'closed', ...(message === undefined ? {} : { message }) } }, false)
    showPresence({})
    channel.say({ sync: 'watching', tab: me, keys: [] })
    release()
    listeners.close()
  }
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => (closing ??= end().finally(channel.close))

  const signingOut = createSignOut({
    client,
    say: channel.say,
    ask,
    leader: () => ({ id: leader, isHere: engine !== undefined }),
    end: (message) => (closing ??= end(message)),
    hangUp: channel.close,
  })

  return {
    subscribe: listeners.subscribe,
    getSnapshot: () => snapshot,
    watch: watched.watch,
    setTyping: (key, isTyping) => {
      if (engine === undefined) channel.say({ sync: 'typing', key, isTyping })
      else engine.setTyping(key, isTyping)
    },
    plan: (signal) => ask(['plan'], { signal }),
    syncNow: async (signal) => {
      const status = await ask(['syncNow'], { signal })
      // The worker that stored what came is another one, in another tab it may be.
      readAnew(client)
      return status
    },
    changeKeys: (to, { from, ...how } = {}) => ask(['changeKeys', to, from], how),
    pause: () => ask(['pause']),
    resume: () => ask(['resume']),
    unsent: (signal) => ask(['unsent'], { signal }),
    close,
    signOut: signingOut.signOut,
    [Symbol.asyncDispose]: close,
  }
}
