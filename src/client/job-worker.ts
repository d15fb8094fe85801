import type { Encryption } from '../contract/encryption.ts'
import { reviveError, SessionError } from '../contract/errors.ts'
import type { JobProgress, JobReply, JobRequest, JobResult, JobTask } from '../contract/job.ts'
import type { ProtocolVersion, ReadyMessage, WireError } from '../contract/worker-protocol.ts'
import type { WorkerLike } from './connect-worker.ts'
import { onWorkerGone } from './page-lock.ts'

const protocol: ProtocolVersion = 1

const pingMs = 5000
/** Pings without any answer after which a worker counts as hung. Its death is known at once, by its lock. */
const patience = 6
/** How long a cancelled job may take to clear up. */
const cancelMs = 10_000

/** A worker that does one job. */
export interface JobWorker {
  /** Does the job, and ends the worker. @throws Aborted, WorkerLost, and what the job rejects with */
  run<T extends JobTask>(task: T, signal: AbortSignal | undefined, onProgress: (progress: JobProgress) => void): Promise<JobResult<T>>
  end(): void
}

export interface JobWorkerOptions {
  readonly worker: WorkerLike
  /** Name of the database. */
  readonly name: string
  readonly timeoutMs: number
  /** Whether what it stores is mirrored. */
  readonly mirror: boolean
  readonly encryption?: Encryption | undefined
  readonly signal: AbortSignal | undefined
}

/** Has a worker open the database. Ends it and rejects when it doesn't in time. */
export async function startJobWorker({ worker, name, timeoutMs, mirror, encryption, signal }: JobWorkerOptions): Promise<JobWorker> {
  const { port1: port, port2 } = new MessageChannel()
  const say = (request: JobRequest): void => port.postMessage(request)
  let hear: (reply: JobReply) => void = () => undefined
  let lose: (reason: string) => void = () => undefined

  const onError = (event: Event): void => lose((event as ErrorEvent).message || 'its script is missing, blocked or broken')
  const end = (): void => {
    worker.removeEventListener('error', onError)
    worker.removeEventListener('messageerror', onError)
    port.close()
    worker.terminate()
  }
  worker.addEventListener('error', onError)
  worker.addEventListener('messageerror', onError)
  port.addEventListener('message', ({ data }: MessageEvent<JobReply>) => hear(data))
  port.start()

  const start = (resolve: (ready: ReadyMessage) => void): void => {
    hear = (reply) => {
      if (reply.keepsession === 'ready' && reply.protocol === protocol) resolve(reply)
      else lose(reply.keepsession === 'failed' ? reply.message : 'it is of another release')
    }
    worker.postMessage({ keepsession: 'open-jobs', protocol, name, blockedAfterMs: timeoutMs * 0.75, mirror, encryption } satisfies JobRequest, [port2])
  }

  const run = <T extends JobTask>(lock: string | undefined, task: T, signal: AbortSignal | undefined, onProgress: (progress: JobProgress) => void): Promise<JobResult<T>> => {
    const [work, again] = workOf(task)
    const clean: (() => void)[] = [end]
    return new Promise<JobResult<T>>((resolve, reject) => {
      let unanswered = 0
      lose = (reason) => reject(signal?.aborted ? new SessionError('Aborted', `The ${work} was cancelled.`) : new SessionError('WorkerLost', `The worker of the ${work} was lost: ${reason}. ${again}`))
      hear = (reply) => {
        unanswered = 0
        if (reply.keepsession === 'progress') onProgress(reply.progress)
        else if (reply.keepsession === 'done') resolve(reply.result as JobResult<T>)
        else if (reply.keepsession === 'error') reject(errorOf(reply.error))
      }
      const pinging = setInterval(() => {
        if (unanswered++ >= patience) lose('it no longer answers')
        else say({ keepsession: 'ping' })
      }, pingMs)
      const cancel = (): void => {
        say({ keepsession: 'cancel', id: 0 })
        const giveUp = setTimeout(() => lose('it did not stop'), cancelMs)
        clean.push(() => clearTimeout(giveUp))
      }
      signal?.addEventListener('abort', cancel)
      clean.push(() => clearInterval(pinging), () => signal?.removeEventListener('abort', cancel), onWorkerGone(lock, () => lose('it has ended')))
      say({ keepsession: 'start', id: 0, task })
    }).finally(() => clean.forEach((step) => step()))
  }

  let timer: ReturnType<typeof setTimeout> | undefined
  const onAbort = (): void => lose('the job was cancelled')
  try {
    const { lock } = await new Promise<ReadyMessage>((resolve, reject) => {
      lose = (reason) => reject(new SessionError('StorageUnavailable', `The job worker did not start: ${reason}.`))
      timer = setTimeout(() => lose(`it did not answer within ${timeoutMs} ms`), timeoutMs)
      signal?.addEventListener('abort', onAbort)
      start(resolve)
    })
    return { run: (task, given, onProgress) => run(lock, task, given, onProgress), end }
  } catch (error) {
    end()
    throw error
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

/** What a task is called, and what to do when it fails. */
function workOf({ kind }: JobTask): readonly [work: string, again: string] {
  if (kind === 'keepMirror') return ['look at the mirror', 'The next start takes another.']
  if (kind === 'mendSession') return ['mending of a session', 'Ask for the session again.']
  if (kind === 'changeEncryption') return ['change of the encryption', 'The next start goes on with it.']
  if (kind.endsWith('Store')) return ['check', 'Start it again; what was mended stays so.']
  return kind.startsWith('import') ? ['import', 'Import the file again; nothing comes in twice.'] : ['export', 'Try it again.']
}

/** The error of a job, as it would have been thrown here. */
function errorOf({ name, message, stack }: WireError): unknown {
  const error = name === 'TypeError' ? new TypeError(message) : new Error(message)
  return reviveError(Object.assign(error, { name }, stack === undefined ? {} : { stack }))
}
