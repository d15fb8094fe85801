import type { StoreChange } from '../src/contract/change.ts'
import { SessionError } from '../src/contract/errors.ts'
import type { ProtocolVersion } from '../src/contract/worker-protocol.ts'
import { drawBoot } from '../src/mirror/draw-boot.ts'
import { createSync, type Sync } from '../src/sync/create-sync.ts'
import { openSyncMemory } from '../src/sync/open-sync-memory.ts'
import { snapshotOf } from '../src/sync/snapshot-of.ts'
import { watchAll } from '../src/sync/watch-all.ts'
import type { OpenSyncMessage, SyncCalls, SyncCommand, SyncReply } from '../src/sync/worker-protocol.ts'
import { announceChanges } from './announce-changes.ts'
import { chooseTransport } from '../src/sync/choose-transport.ts'
import type { OpenFullStore } from './job-host.ts'
import { holdLifeSign } from './life-sign.ts'
import { toWireError } from './wire-error.ts'

const protocol: ProtocolVersion = 1

/** How often a page hears how sync stands. */
const snapshotMs = 100

/** Syncs the database of every page that asks, over the port it sends along. Other messages are none of our business. */
export function acceptSync(scope: Pick<EventTarget, 'addEventListener'>, openStore: OpenFullStore): void {
  scope.addEventListener('message', (event) => {
    const { data, ports } = event as MessageEvent<Partial<OpenSyncMessage> | null>
    const [port] = ports
    if (port !== undefined && data?.keepsession === 'open-sync') void serveSync(port, data as OpenSyncMessage, openStore)
  })
}

/** Syncs beside the page, as one more tab on the same database. Answers `ready` or `failed`, and nothing before. */
async function serveSync(port: MessagePort, request: OpenSyncMessage, openStore: OpenFullStore): Promise<void> {
  const answer = (reply: SyncReply): void => port.postMessage(reply)
  const tokens = new Map<number, { resolve: (token: string) => void; reject: (error: Error) => void }>()
  const endings = new Map<number, AbortController>()
  let lastToken = 0
  const askToken = (): Promise<string> =>
    new Promise((resolve, reject) => {
      tokens.set(++lastToken, { resolve, reject })
      answer({ keepsession: 'ask-token', id: lastToken })
    })

  const { name, namespace, term, paused, window, retryMs, liveMs, tellMs, presence } = request
  const others = announceChanges(name, port)
  try {
    if (request.protocol !== protocol) {
      throw new SessionError('StorageUnavailable', `The page speaks protocol ${request.protocol}, the sync worker ${protocol}: they are of different releases. Serve both from one.`)
    }
    const listeners = new Set<(change: StoreChange) => void>()
    const hear = (change: StoreChange): void => listeners.forEach((listener) => listener(change))
    others.follow?.(hear)
    const announcer = { ...others, add: (change: StoreChange) => (others.add(change), hear(change)) }
    const { store } = await openStore({ ...request, keepsession: 'open' }, announcer)
    const { lock } = await holdLifeSign(`keepsession:${name}:sync:${drawBoot()}`)
    const settings = { ...(window === undefined ? {} : { window }), ...(retryMs === undefined ? {} : { retryMs }), ...(liveMs === undefined ? {} : { liveMs }), ...(tellMs === undefined ? {} : { tellMs }), ...(presence === undefined ? {} : { presence }) }
    const sync = await createSync({
      ...settings, store, namespace, term, paused,
      ...(request.keys === undefined ? {} : { keys: request.keys }),
      transport: chooseTransport(request.transport, askToken),
      memory: openSyncMemory(name, namespace),
      follow: (listener) => {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
    })
    let timer: ReturnType<typeof setTimeout> | undefined
    const show = (): void => {
      timer = undefined
      answer({ keepsession: 'snapshot', snapshot: snapshotOf(sync) })
    }
    let presenceTimer: ReturnType<typeof setTimeout> | undefined
    const showPresence = (): void => {
      presenceTimer = undefined
      answer({ keepsession: 'presence', presence: sync.presences() })
    }
    sync.subscribe((what) => {
      if (what === 'presence') presenceTimer ??= setTimeout(showPresence, snapshotMs)
      else timer ??= setTimeout(show, snapshotMs)
    })
    const watch = watchAll(sync)

    const call = async (id: number, method: keyof SyncCalls): Promise<void> => {
      const ending = new AbortController()
      endings.set(id, ending)
      try {
        const value = await run(sync, method, ending.signal)
        show()
        if (method === 'close') await store.close()
        answer({ keepsession: 'done', id, value })
      } catch (error) {
        answer({ keepsession: 'error', id, error: toWireError(error) })
      } finally {
        endings.delete(id)
      }
    }
    port.addEventListener('message', (event) => {
      const command = (event as MessageEvent<SyncCommand | null>).data
      if (command?.keepsession === 'ping') answer({ keepsession: 'pong' })
      else if (command?.keepsession === 'call') void call(command.id, command.method)
      else if (command?.keepsession === 'cancel') endings.get(command.id)?.abort()
      else if (command?.keepsession === 'watch') watch(command.keys)
      else if (command?.keepsession === 'typing') sync.setTyping(command.key, command.isTyping)
      else if (command?.keepsession === 'token' || command?.keepsession === 'no-token') {
        const waiting = tokens.get(command.id)
        tokens.delete(command.id)
        if (command.keepsession === 'token') waiting?.resolve(command.token)
        else waiting?.reject(new Error(command.message))
      }
    })
    globalThis.addEventListener?.('online', sync.retry)
    globalThis.addEventListener?.('offline', sync.drop)
    port.start()
    answer({ keepsession: 'ready', protocol, ...(lock === undefined ? {} : { lock }) })
    show()
  } catch (error) {
    others.close()
    answer({ keepsession: 'failed', ...toWireError(error) })
  }
}

/** Only these can be asked for. */
function run(sync: Sync, method: keyof SyncCalls, signal: AbortSignal): unknown {
  switch (method) {
    case 'plan':
      return sync.plan(signal)
    case 'syncNow':
      return sync.syncNow(signal)
    case 'pause':
      return sync.pause()
    case 'resume':
      return sync.resume()
    case 'retry':
      return sync.retry()
    case 'close':
      return sync.close()
    default:
      throw new SessionError('InvalidInput', `Sync can not be asked for ${JSON.stringify(method)}.`)
  }
}
