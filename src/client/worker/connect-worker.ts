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

const protocol: ProtocolVersion = 1

/** How many times as long an opening may take that says what holds it up: another tab, or an upgrade. */
export const heldUp = 12

/** What a worker needs to be for us: a real one, or in Node anything that has a port on the other side. */
export type WorkerLike = Pick<Worker, 'postMessage' | 'addEventListener' | 'removeEventListener' | 'terminate'>

/** An open store in a worker. */
export interface WorkerConnection extends Omit<ReadyMessage, 'keepsession' | 'protocol' | 'mirror'> {
  /** As it is now. */
  mirror?: MirrorState
  readonly remote: Remote<HostedStore>
  /** Asks for a sign of life; `onPong` hears of the answer. */
  ping(): void
  /** Tells the worker what another one of this page changed. Calls made afterwards know it. */
  announce(changes: readonly StoreChange[]): void
  /** Gives up the worker, whatever it does. */
  end(): void
}

export interface ConnectOptions {
  readonly make: () => WorkerLike
  /** Leaves the worker running at the end. */
  readonly isLent: boolean
  readonly name: string
  readonly owner?: string | undefined
  /** What operation ids begin with that no other worker has seen. */
  readonly operations?: string
  readonly timeoutMs: number
  /** Whether what it stores is to be mirrored. */
  readonly mirror: boolean
  readonly encryption: Encryption | undefined
  readonly onChanges: (changes: readonly StoreChange[]) => void
  readonly onPong: () => void
  /** The worker reported an error after it was ready. It may be dead, or not. */
  readonly onTrouble: () => void
  /** The worker, which may be well, can't reach its database any more. */
  readonly onLost: (reason: string) => void
  /** It needs the rows of a session made again. */
  readonly onRepair: (key: string) => Promise<RepairedRows | undefined>
}

/**
 * Starts a worker and has it open a store. Rejects when it could not, with a reason for people: a missing file, a
 * script that throws and a blocked URL all come as the same empty event, and a worker that never answers comes as
 * nothing at all.
 */
export function connectWorker(options: ConnectOptions): Promise<WorkerConnection> {
  const { make, timeoutMs } = options
  return new Promise((resolve, reject) => {
    const worker = make()
    const { port1: port, port2 } = new MessageChannel()
    let connection: WorkerConnection | undefined

    const onError = (event: Event): void => {
      if (connection !== undefined) return options.onTrouble()
      // It is reported by what we reject with.
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
                `The worker speaks protocol ${data.protocol}, the page ${protocol}.`,
              ),
            )
          clearTimeout(timer)
          connection = {
            ...data,
            remote: wrap<HostedStore>(port),
            ping: () => port.postMessage({ keepsession: 'ping' } satisfies PingMessage),
            announce: (changes) => port.postMessage({ keepsession: 'changes', changes } satisfies ChangesMessage),
            end,
          }
          return resolve(connection)
        case 'failed':
          return fail(errorOfWire(data, data))
        case 'changes':
          if (connection === undefined) {
            // It says what holds it up.
            clearTimeout(timer)
            expect(timeoutMs * heldUp)
          }
          return options.onChanges(data.changes)
        case 'pong':
          return options.onPong()
        case 'lost':
          return options.onLost(data.reason)
        case 'mirror':
          if (connection !== undefined) connection.mirror = data.mirror
          break
        case 'repair':
          void options.onRepair(data.key).then((repaired) => ports[0]!.postMessage(repaired))
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
    // Before the page gives up, so that it can say that another tab is in the way.
    blockedAfterMs: timeoutMs * 0.75,
    mirror,
    encryption,
    owner,
    operations,
  }
}
