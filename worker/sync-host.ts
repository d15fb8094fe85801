import type { ChangeSink, StoreChange } from '../src/contract/change.ts'
import { SessionError } from '../src/contract/errors.ts'
import type { ProtocolVersion } from '../src/contract/worker-protocol.ts'
import { drawBoot } from '../src/mirror/draw-boot.ts'
import { createSync } from '../src/sync/create-sync.ts'
import { openSyncMemory } from '../src/sync/open-sync-memory.ts'
import { runCall } from '../src/sync/run-call.ts'
import { settingsOf } from '../src/sync/settings-of.ts'
import { changeBetween } from '../src/sync/snapshot-change.ts'
import { tellSnapshots } from '../src/sync/tell-snapshots.ts'
import { watchAll } from '../src/sync/watch-all.ts'
import type { SyncStanding } from '../src/sync/sync-standing.ts'
import type { OpenSyncMessage, SyncCall, SyncCommand, SyncReply } from '../src/sync/sync-protocol.ts'
import { announceChanges } from './announce-changes.ts'
import { chooseTransport } from '../src/sync/choose-transport.ts'
import type { OpenFullStore } from './job-host.ts'
import { holdLifeSign } from './life-sign.ts'
import { toWireError } from './wire-error.ts'

const protocol: ProtocolVersion = 1

/** The page hears of changes from the worker of its store. */
const nobody: Pick<MessagePort, 'postMessage'> = { postMessage: () => undefined }

/** How often a page hears who is there. */
const presenceMs = 100

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

  const { name, namespace, term, paused, device } = request
  const others = announceChanges(name, nobody)
  try {
    if (request.protocol !== protocol) {
      throw new SessionError('StorageUnavailable', `The page speaks protocol ${request.protocol}, the sync worker ${protocol}: they are of different releases. Serve both from one.`)
    }
    const listeners = new Set<(change: StoreChange) => void>()
    const hear = (change: StoreChange): void => listeners.forEach((listener) => listener(change))
    const announcer = { ...others, add: (change: StoreChange) => (others.add(change), hear(change)) }
    // Its store first, or sync would ask one that does not know yet.
    const follow = others.follow && ((hearInStore: ChangeSink) => others.follow!((change) => (hearInStore(change), hear(change))))
    const { store } = await openStore({ ...request, keepsession: 'open' }, announcer, follow)
    const { lock } = await holdLifeSign(`keepsession:${name}:sync:${drawBoot()}`)
    const sync = await createSync({
      ...settingsOf(request), store, namespace, term, paused, device,
      ...(request.keys === undefined ? {} : { keys: request.keys }),
      transport: chooseTransport(request.transport, askToken),
      memory: openSyncMemory(name, namespace),
      follow: (listener) => {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
    })
    let told: SyncStanding | undefined
    const show = tellSnapshots(sync, (snapshot) => {
      answer(told === undefined ? { keepsession: 'snapshot', snapshot } : { keepsession: 'snapshot-change', change: changeBetween(told, snapshot) })
      told = snapshot
    })
    let presenceTimer: ReturnType<typeof setTimeout> | undefined
    const showPresence = (): void => {
      presenceTimer = undefined
      answer({ keepsession: 'presence', presence: sync.presences() })
    }
    sync.subscribe((what) => {
      if (what === 'presence') presenceTimer ??= setTimeout(showPresence, presenceMs)
    })
    const watch = watchAll(sync)

    const call = async (id: number, asked: SyncCall): Promise<void> => {
      const ending = new AbortController()
      endings.set(id, ending)
      try {
        const value = await runCall(sync, asked, { signal: ending.signal, onProgress: (progress) => answer({ keepsession: 'progress', id, progress }) })
        show()
        if (asked[0] === 'close') await store.close()
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
      else if (command?.keepsession === 'call') void call(command.id, command.call)
      else if (command?.keepsession === 'cancel') endings.get(command.id)?.abort()
      else if (command?.keepsession === 'watch') watch(command.keys)
      else if (command?.keepsession === 'typing') sync.setTyping(command.key, command.isTyping)
      else if (command?.keepsession === 'token' || command?.keepsession === 'no-token') {
        const waiting = tokens.get(command.id)
        tokens.delete(command.id)
        if (command.keepsession === 'token') waiting?.resolve(command.token)
        else waiting?.reject(new Error(command.message))
      } else command satisfies OpenSyncMessage | null
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
