import { isSessionError, reviveError, SessionError } from '../contract/errors.ts'
import { drawId } from '../client/draw-id.ts'
import { loadInlineWorker } from '../client/inline-worker.ts'
import { wait } from '../client/leadership/wait.ts'
import type { SessionClient } from '../client/types.ts'
import { checkPresenceOptions } from '../sync/presence/check-presence-options.ts'
import type { SyncCalls, SyncPresence, SyncSnapshot, TransportChoice } from '../sync/worker-protocol.ts'
import type { StartEngine, SyncEngine } from './engine.ts'
import { openSyncChannel } from './sync-channel.ts'
import type { DeviceSync, DeviceSyncSnapshot, OpenSyncOptions } from './types.ts'
import { createWatchedKeys } from './watched-keys.ts'
import { startWorkerEngine } from './worker-engine.ts'

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

interface Asked {
  readonly method: keyof SyncCalls
  readonly signal: AbortSignal | undefined
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}

/** Keeps the sessions of a store equal with those of other devices. One tab does it for all; every tab may open it, see how it stands and ask for things. */
export function openSync(client: SessionClient, options: OpenSyncOptions): DeviceSync {
  if (typeof options.namespace !== 'string' || !/^[^/]+$/.test(options.namespace)) throw new SessionError('InvalidInput', `namespace must be a text without "/", got ${JSON.stringify(options.namespace)}.`)
  if (options.keys !== undefined && options.keys.namespace !== options.namespace) throw new SessionError('InvalidInput', `The keys of sync are for the namespace ${JSON.stringify(options.keys.namespace)}, and it syncs ${JSON.stringify(options.namespace)}. Open them for this one.`)
  if (options.presence !== undefined) checkPresenceOptions(options.presence)
  const me = drawId()
  const start = engineStarter(client, options)
  const channel = openSyncChannel(client.name)
  const listeners = new Set<() => void>()
  const ending = new AbortController()
  /** What was asked of another tab, and is asked again of whoever leads next. */
  const asked = new Map<string, Asked>()
  const asking = new Map<string, AbortController>()
  let snapshot: DeviceSyncSnapshot = { ...nothing, isLeader: false }
  let engine: SyncEngine | undefined
  let leader: string | undefined
  let isPaused = options.paused === true

  const show = (next: SyncSnapshot, isLeader: boolean): void => {
    snapshot = { ...next, isLeader }
    isPaused = next.status.state === 'paused'
    for (const listener of [...listeners]) listener()
  }
  const tell = (): void => {
    const { isLeader, ...said } = snapshot
    if (isLeader) channel.say({ sync: 'snapshot', leader: me, snapshot: said })
  }

  const showPresence = (presence: SyncPresence): void => {
    snapshot = { ...snapshot, presence }
    for (const listener of [...listeners]) listener()
  }
  const watched = createWatchedKeys(() => {
    engine?.watch(watched.all())
    tellWatched()
  })
  /** Whoever leads hears it, now or later. */
  const tellWatched = (): void => {
    if (engine === undefined) channel.say({ sync: 'watching', tab: me, keys: watched.own() })
  }

  const answer = async (id: string, method: keyof SyncCalls): Promise<void> => {
    if (engine === undefined || asking.has(id)) return
    const cancelling = new AbortController()
    asking.set(id, cancelling)
    try {
      channel.say({ sync: 'answer', id, value: await engine.call(method, cancelling.signal) })
    } catch (error) {
      const { name, message } = error as Error
      // The next leader is asked again.
      if (!isSessionError(error, 'WorkerLost')) channel.say({ sync: 'refusal', id, error: { name, message } })
    } finally {
      asking.delete(id)
    }
  }

  channel.hear((message) => {
    if (message.sync === 'hello') tell()
    else if (message.sync === 'snapshot') {
      if (engine === undefined) show(message.snapshot, false)
      if (leader !== message.leader) for (const [id, { method }] of asked) channel.say({ sync: 'ask', id, method })
      if (leader !== message.leader && watched.own().length > 0) tellWatched()
      leader = message.leader
    } else if (message.sync === 'presence') {
      if (engine === undefined && message.leader === leader) showPresence(message.presence)
    } else if (message.sync === 'roll') tellWatched()
    else if (message.sync === 'watching') {
      watched.hear(message.tab, message.keys)
      engine?.watch(watched.all())
    } else if (message.sync === 'typing') engine?.setTyping(message.key, message.isTyping)
    else if (message.sync === 'ask') void answer(message.id, message.method)
    else if (message.sync === 'cancel') asking.get(message.id)?.abort()
    else {
      const one = asked.get(message.id)
      asked.delete(message.id)
      if (message.sync === 'answer') one?.resolve(message.value as never)
      else one?.reject(reviveError(Object.assign(new Error(message.error.message), message.error)))
    }
  })
  channel.say({ sync: 'hello' })

  const serve = async (term: number, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      try {
        engine = await start({
          term,
          paused: isPaused,
          onSnapshot: (next) => {
            if (signal.aborted) return
            show(next, true)
            tell()
          },
          onPresence: (presence) => {
            if (signal.aborted) return
            showPresence(presence)
            channel.say({ sync: 'presence', leader: me, presence })
          },
        })
        leader = me
        engine.watch(watched.all())
        channel.say({ sync: 'roll' })
        for (const [id, { method, signal: its, resolve, reject }] of asked) {
          asked.delete(id)
          engine.call(method, its).then(resolve as (value: unknown) => void, reject)
        }
        await Promise.race([engine.lost, wait(signal)])
      } catch (error) {
        const message = (error as Error).message
        show({ ...snapshot, status: { ...snapshot.status, state: 'error', message } }, true)
        tell()
      }
      const over = engine
      engine = undefined
      // Nobody says any more who is there.
      showPresence({})
      // What it has under way it may end; its term is over all the same.
      await Promise.race([over?.call('close').catch(() => undefined), wait(AbortSignal.timeout(restartMs))])
      over?.end()
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
  const serving = client.lead(serve, { signal: ending.signal }).catch((error: unknown) => {
    if (ending.signal.aborted || isSessionError(error, 'StorageClosed')) return
    show({ ...snapshot, status: { ...snapshot.status, state: 'error', message: (error as Error).message } }, false)
  })

  const call = <M extends keyof SyncCalls>(method: M, signal?: AbortSignal): Promise<ReturnType<SyncCalls[M]>> => {
    if (ending.signal.aborted) return Promise.reject(new SessionError('StorageClosed', 'Sync was closed in this tab. Open it again.'))
    if (engine !== undefined) return engine.call(method, signal)
    return new Promise((resolve, reject) => {
      const id = drawId()
      const aborted = (): SessionError => new SessionError('Aborted', `${method} was ended by its signal. Sync goes on.`, { cause: signal?.reason })
      if (signal?.aborted === true) return reject(aborted())
      asked.set(id, { method, signal, resolve: resolve as (value: never) => void, reject })
      signal?.addEventListener('abort', () => {
        // Where this tab does it itself by now, its engine has the signal.
        if (!asked.delete(id)) return
        channel.say({ sync: 'cancel', id })
        reject(aborted())
      })
      channel.say({ sync: 'ask', id, method })
    })
  }

  const close = async (): Promise<void> => {
    if (ending.signal.aborted) return serving
    const over = engine
    await over?.call('close').catch(() => undefined)
    ending.abort()
    for (const { reject } of asked.values()) reject(new SessionError('StorageClosed', 'Sync was closed in this tab.'))
    asked.clear()
    await serving
    clearInterval(rolling)
    channel.say({ sync: 'watching', tab: me, keys: [] })
    channel.close()
    listeners.clear()
  }

  return {
    subscribe: (onChange) => {
      const own = (): void => onChange()
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    getSnapshot: () => snapshot,
    watch: watched.watch,
    setTyping: (key, isTyping) => {
      if (engine === undefined) channel.say({ sync: 'typing', key, isTyping })
      else engine.setTyping(key, isTyping)
    },
    plan: (signal) => call('plan', signal),
    syncNow: (signal) => call('syncNow', signal),
    pause: () => call('pause'),
    resume: () => call('resume'),
    close,
    signOut: async () => {
      await close()
      const { deleteSyncMemory } = await import('../sync/open-sync-memory.ts')
      await deleteSyncMemory(client.name)
    },
    [Symbol.asyncDispose]: close,
  }
}

/** Ways to sync, best first: a worker by its URL, one without a file, this page. */
function engineStarter(client: SessionClient, options: OpenSyncOptions): StartEngine {
  const { transport, token, encryption, mirror = true, namespace, keys, worker, window, retryMs, liveMs, tellMs, presence } = options
  const settings = { ...(window === undefined ? {} : { window }), ...(retryMs === undefined ? {} : { retryMs }), ...(liveMs === undefined ? {} : { liveMs }), ...(tellMs === undefined ? {} : { tellMs }), ...(presence === undefined ? {} : { presence }) }
  const inPage: StartEngine = async (given) => {
    const { startPageEngine } = await import('./page-engine.ts')
    const made = typeof transport === 'function' ? await transport() : (await import('../sync/choose-transport.ts')).chooseTransport(choiceOf(transport), async () => (await token?.()) ?? '')
    return startPageEngine({ ...settings, ...given, client, namespace, keys, transport: made })
  }
  if (typeof transport === 'function') return inPage
  return async (given) => {
    const { mode } = await client.health()
    // Where the store is in the page, no worker would see it.
    if (mode !== 'worker' && mode !== 'inline-worker') return inPage(given)
    const makers = [async () => worker ?? makeSyncWorker, () => loadInlineWorker('sync')]
    for (const load of makers) {
      try {
        const make = await load()
        return await startWorkerEngine(make(), {
          request: { ...settings, name: client.name, namespace, keys, mirror, encryption, transport: choiceOf(transport), term: given.term, paused: given.paused },
          token,
          onSnapshot: given.onSnapshot,
          onPresence: given.onPresence,
        })
      } catch {
        // Blocked, missing or broken: the next way needs less.
      }
    }
    return inPage(given)
  }
}

function choiceOf(transport: Exclude<OpenSyncOptions['transport'], () => unknown>): TransportChoice {
  return transport.kind === 'port' ? { kind: 'port', port: transport.open() } : transport
}

/** Bundlers look for workers in this form. */
const makeSyncWorker = (): Worker => new Worker(new URL('../../worker/sync.worker.ts', import.meta.url), { type: 'module', name: 'keepsession-sync' })
