import { type Remote, wrap } from 'comlink'
import type { StoreChange } from '../../contract/change.ts'
import type { Encryption } from '../../contract/encryption.ts'
import { errorOfWire, SessionError } from '../../contract/errors.ts'
import type { MirrorState } from '../../contract/mirror.ts'
import type { RepairedRows } from '../../contract/row-salvage.ts'
import type {
  ChangesMessage,
  HostedStore,
  OpenMessage,
  PingMessage,
  ProtocolVersion,
  ReadyMessage,
  WorkerMessage,
} from '../../contract/worker-protocol.ts'
import type { ChangeFeed } from '../session/change-feed.ts'
import { blockedAfter } from './blocked-after.ts'
import { onWorkerGone } from './page-lock.ts'

const protocol: ProtocolVersion = 1

/** Factor by which the time limit grows when the worker reports what delays the opening: another tab, or an upgrade. */
export const heldUp = 12

/** The part of a worker that is used: a real worker, or in Node anything with a port on the other side. */
export type WorkerLike = Pick<Worker, 'postMessage' | 'addEventListener' | 'removeEventListener' | 'terminate'>

/** What a worker reports once its store is open. */
export interface WorkerEvents {
  /** It answers a ping. */
  onPong(): void
  /** It reported an error. It may be dead or alive. */
  onTrouble(): void
  /** It is dead, or, with a reason, may be alive, but can't reach its database any more. */
  onLost(reason?: string): void
  /** It needs the rows of a session rebuilt. */
  onRepair(key: string): Promise<RepairedRows | undefined>
}

/** An open store in a worker. */
export interface WorkerConnection extends Omit<ReadyMessage, 'keepsession' | 'protocol' | 'mirror'> {
  /** The current state. */
  mirror?: MirrorState
  readonly remote: Remote<HostedStore>
  /** Reports to these from now on, what was reported before too. To be called once. */
  listen(events: WorkerEvents): void
  /** Asks whether the worker is alive. */
  ping(): void
  /** Announces to the worker what another worker of this page changed. Later calls include it. */
  announce(changes: readonly StoreChange[]): void
  /** Ends the worker, whatever it is doing. */
  end(): void
}

export interface ConnectOptions {
  readonly make: () => WorkerLike
  /** The worker keeps running after the end. */
  readonly isLent: boolean
  readonly name: string
  readonly owner?: string | undefined
  /** Prefix of operation ids that no other worker has seen. */
  readonly operations?: string
  readonly timeoutMs: number
  /** Whether to mirror what it stores. */
  readonly mirror: boolean
  readonly encryption: Encryption | undefined
  /** Receives what the worker reports from the start, such as an upgrade that delays the opening. */
  readonly feed: Pick<ChangeFeed, 'emit'>
}

/**
 * Starts a worker and has it open a store. If that fails, it rejects with a readable reason: a missing file, a script
 * that throws and a blocked URL all cause the same empty event, and a worker that never answers causes none at all.
 */
export function connectWorker(options: ConnectOptions): Promise<WorkerConnection> {
  const { make, timeoutMs } = options
  return new Promise((resolve, reject) => {
    const worker = make()
    const { port1: port, port2 } = new MessageChannel()
    let connection: WorkerConnection | undefined
    let listen: (events: WorkerEvents) => void = () => undefined
    let stopWatching: () => void = () => undefined
    const listening = new Promise<WorkerEvents>((resolve) => (listen = resolve))

    const onError = (event: Event): void => {
      if (connection !== undefined) return void listening.then((events) => events.onTrouble())
      // The rejection reports it.
      event.preventDefault()
      const reason = (event as ErrorEvent).message
      fail(
        new SessionError(
          'StorageUnavailable',
          `The worker did not start: ${reason || 'its script is missing, blocked or broken'}.`,
        ),
      )
    }
    let timer: ReturnType<typeof setTimeout>
    const expect = (ms: number): void => {
      timer = setTimeout(
        () => fail(new SessionError('StorageUnavailable', `The worker did not answer within ${ms} ms.`)),
        ms,
      )
    }
    expect(timeoutMs)

    function end(): void {
      clearTimeout(timer)
      stopWatching()
      worker.removeEventListener('error', onError)
      worker.removeEventListener('messageerror', onError)
      port.close()
      if (!options.isLent) worker.terminate()
    }
    function fail(error: unknown): void {
      end()
      reject(error)
    }

    worker.addEventListener('error', onError)
    worker.addEventListener('messageerror', onError)
    port.addEventListener('message', ({ data, ports }: MessageEvent<WorkerMessage>) => {
      switch (data.keepsession) {
        case 'ready':
          if (data.protocol !== protocol)
            return fail(
              new SessionError(
                'StorageUnavailable',
                `The worker uses protocol ${data.protocol}, the page uses ${protocol}.`,
                { cause: data },
              ),
            )
          clearTimeout(timer)
          connection = {
            ...data,
            remote: wrap<HostedStore>(port),
            listen,
            ping: () => port.postMessage({ keepsession: 'ping' } satisfies PingMessage),
            announce: (changes) => port.postMessage({ keepsession: 'changes', changes } satisfies ChangesMessage),
            end,
          }
          stopWatching = onWorkerGone(data.lock, () => void listening.then((events) => events.onLost()))
          return resolve(connection)
        case 'failed':
          return fail(errorOfWire(data, data))
        case 'changes':
          if (connection === undefined) {
            // The worker has reported what delays it.
            clearTimeout(timer)
            expect(timeoutMs * heldUp)
          }
          return data.changes.forEach(options.feed.emit)
        case 'pong':
          return void listening.then((events) => events.onPong())
        case 'lost':
          return void listening.then((events) => events.onLost(data.reason))
        case 'mirror':
          if (connection !== undefined) connection.mirror = data.mirror
          break
        case 'repair':
          void listening.then((events) => events.onRepair(data.key)).then((repaired) => ports[0]!.postMessage(repaired))
      }
    })
    port.start()
    worker.postMessage(requestOf(options), [port2])
  })
}

function requestOf({ name, owner, operations, timeoutMs, mirror, encryption }: ConnectOptions): OpenMessage {
  return {
    keepsession: 'open',
    protocol,
    name,
    blockedAfterMs: blockedAfter(timeoutMs),
    mirror,
    encryption,
    owner,
    operations,
  }
}
