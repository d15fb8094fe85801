import type { ChangeSink, StoreChange } from '../src/contract/change.ts'
import { SessionError } from '../src/contract/errors.ts'
import type { ProtocolVersion } from '../src/contract/worker-protocol.ts'
import { namesOf } from '../src/domain/names-of.ts'
import { drawBoot } from '../src/mirror/draw-boot.ts'
import { announceSnapshots } from '../src/sync/announce-snapshots.ts'
import { chooseTransport } from '../src/sync/choose-transport.ts'
import { createSync } from '../src/sync/create-sync.ts'
import { openSyncMemory } from '../src/sync/open-sync-memory.ts'
import { settingsOf } from '../src/sync/settings-of.ts'
import { changeBetween } from '../src/sync/snapshot-change.ts'
import type { OpenSyncMessage, SyncCommand, SyncReply } from '../src/sync/sync-protocol.ts'
import type { SyncStanding } from '../src/sync/sync-standing.ts'
import { watchAll } from '../src/sync/watch-all.ts'
import { announceChanges } from './announce-changes.ts'
import { createTokenAsker } from './ask-token.ts'
import type { OpenFullStore } from './job-host.ts'
import { holdLifeSign } from './life-sign.ts'
import { runSyncCalls } from './run-sync-calls.ts'
import { toWireError } from './wire-error.ts'

const protocol: ProtocolVersion = 1

/** No port: the page gets changes from the worker of its store. */
const nobody: Pick<MessagePort, 'postMessage'> = { postMessage: () => undefined }

/** How often a page gets the presence of others. */
const presenceMs = 100

/** Syncs the database of every page that asks, over the port that the page sends. Other messages are ignored. */
export function acceptSync(scope: Pick<EventTarget, 'addEventListener'>, openStore: OpenFullStore): void {
  scope.addEventListener('message', (event) => {
    const { data, ports } = event as MessageEvent<Partial<OpenSyncMessage> | null>
    const [port] = ports
    if (port !== undefined && data?.keepsession === 'open-sync')
      void serveSync(port, data as OpenSyncMessage, openStore)
  })
}

/** Syncs alongside the page, as one more tab on the same database. The first answer is `ready` or `failed`. */
async function serveSync(port: MessagePort, request: OpenSyncMessage, openStore: OpenFullStore): Promise<void> {
  const answer = (reply: SyncReply): void => port.postMessage(reply)
  const tokens = createTokenAsker(answer)

  const { name, namespace, term, paused, device } = request
  const others = announceChanges(name, nobody)
  try {
    if (request.protocol !== protocol) {
      throw new SessionError(
        'StorageUnavailable',
        `The page uses protocol ${request.protocol}, the sync worker ${protocol}: they are of different releases. Serve both from one.`,
      )
    }
    const listeners = new Set<(change: StoreChange) => void>()
    const emit = (change: StoreChange): void => listeners.forEach((listener) => listener(change))
    const announcer = { ...others, add: (change: StoreChange) => (others.add(change), emit(change)) }
    // The store gets a change first, or sync would ask a store that does not know it yet.
    const follow =
      others.follow && ((storeSink: ChangeSink) => others.follow!((change) => (storeSink(change), emit(change))))
    const { store } = await openStore({ ...request, keepsession: 'open' }, announcer, follow)
    const { lock } = await holdLifeSign(`${namesOf(name)}:sync:${drawBoot()}`)
    const sync = await createSync({
      ...settingsOf(request),
      store,
      namespace,
      term,
      paused,
      device,
      ...(request.keys === undefined ? {} : { keys: request.keys }),
      transport: chooseTransport(request.transport, tokens.ask),
      memory: openSyncMemory(name, namespace),
      follow: (listener) => {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
    })
    let announced: SyncStanding | undefined
    const show = announceSnapshots(sync, (snapshot) => {
      answer(
        announced === undefined
          ? { keepsession: 'snapshot', snapshot }
          : { keepsession: 'snapshot-change', change: changeBetween(announced, snapshot) },
      )
      announced = snapshot
    })
    // biome-ignore lint/correctness/noUnusedVariables: `??=` reads it.
    let presenceTimer: ReturnType<typeof setTimeout> | undefined
    const showPresence = (): void => {
      presenceTimer = undefined
      answer({ keepsession: 'presence', presence: sync.presences() })
    }
    sync.subscribe((what) => {
      if (what === 'presence') presenceTimer ??= setTimeout(showPresence, presenceMs)
    })
    const watch = watchAll(sync)

    const calls = runSyncCalls({ sync, store, answer, showSnapshot: show })
    port.addEventListener('message', (event) => {
      const command = (event as MessageEvent<SyncCommand | null>).data
      if (command?.keepsession === 'ping') answer({ keepsession: 'pong' })
      else if (command?.keepsession === 'call') void calls.run(command.id, command.call)
      else if (command?.keepsession === 'cancel') calls.cancel(command.id)
      else if (command?.keepsession === 'watch') watch(command.keys)
      else if (command?.keepsession === 'typing') sync.setTyping(command.key, command.isTyping)
      else if (command?.keepsession === 'token' || command?.keepsession === 'no-token') tokens.receive(command)
      else command satisfies OpenSyncMessage | null
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
