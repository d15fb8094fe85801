import type { WorkerLike } from '../client/worker/connect-worker.ts'
import { type StartField, startHelperWorker } from '../client/worker/helper-worker.ts'
import { afterChange } from '../sync/snapshot-change.ts'
import type { OpenSyncMessage, SyncCommand, SyncPresence, SyncReply } from '../sync/sync-protocol.ts'
import type { SyncStanding } from '../sync/sync-standing.ts'
import type { SyncEngine } from './sync-engine.ts'
import { createWorkerCalls } from './worker-calls.ts'

const startMs = 10_000

export interface WorkerEngineOptions {
  readonly request: Omit<OpenSyncMessage, 'keepsession' | StartField>
  readonly token: (() => string | Promise<string>) | undefined
  readonly onSnapshot: (snapshot: SyncStanding) => void
  readonly onPresence: (presence: SyncPresence) => void
}

/** Starts sync in a worker. Ends the worker and rejects when it does not start in time. */
export async function startWorkerEngine(
  made: WorkerLike,
  { request, token, onSnapshot, onPresence }: WorkerEngineOptions,
): Promise<SyncEngine> {
  const calls = createWorkerCalls()
  let latest: SyncStanding | undefined
  let onLost: (reason: string) => void = () => undefined
  const lost = new Promise<string>((resolve) => (onLost = resolve))

  const handle = (reply: SyncReply, say: (command: SyncCommand) => void): void => {
    switch (reply.keepsession) {
      case 'snapshot':
        return onSnapshot((latest = reply.snapshot))
      case 'snapshot-change':
        return latest && onSnapshot((latest = afterChange(latest, reply.change)))
      case 'presence':
        return onPresence(reply.presence)
      case 'ask-token':
        return void answerToken(reply.id, token, say)
      default:
        return calls.handle(reply)
    }
  }
  const { transport } = request
  const worker = await startHelperWorker<SyncCommand, SyncReply>({
    worker: made,
    called: 'sync worker',
    request: { ...request, keepsession: 'open-sync' } satisfies Omit<OpenSyncMessage, StartField>,
    transfer: transport.kind === 'port' ? [transport.port] : [],
    timeoutMs: startMs,
    onReply: handle,
    onLost: (reason) => {
      calls.giveUp()
      onLost(reason)
    },
  })
  // The worker also reports by itself, so that its silence would not be noticed.
  worker.watch(true)

  return {
    lost,
    end: () => {
      worker.end()
      calls.giveUp()
    },
    watch: (keys) => worker.say({ keepsession: 'watch', keys }),
    setTyping: (key, isTyping) => worker.say({ keepsession: 'typing', key, isTyping }),
    call: (call, how) => calls.ask(worker.say, call, how),
  }
}

async function answerToken(
  id: number,
  token: WorkerEngineOptions['token'],
  say: (command: SyncCommand) => void,
): Promise<void> {
  try {
    say({ keepsession: 'token', id, token: (await token?.()) ?? '' })
  } catch (error) {
    say({ keepsession: 'no-token', id, message: (error as Error).message })
  }
}
