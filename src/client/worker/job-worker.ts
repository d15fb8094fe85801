import type { StoreChange } from '../../contract/change.ts'
import type { Encryption } from '../../contract/encryption.ts'
import { errorOfWire, SessionError } from '../../contract/errors.ts'
import type { JobProgress, JobReply, JobRequest, JobResult, JobTask, OpenJobsMessage } from '../../contract/job.ts'
import type {
  ChangesMessage,
  FailedMessage,
  PongMessage,
  ReadyMessage,
  WireError,
} from '../../contract/worker-protocol.ts'
import type { WorkerLike } from './connect-worker.ts'
import { type StartField, startHelperWorker } from './helper-worker.ts'
import { jobWording } from './job-wording.ts'

/** How long a cancelled job may take to clean up. */
const cancelMs = 10_000

/** A worker that does one job. */
export interface JobWorker {
  /** Runs the job, and ends the worker. @throws Aborted, WorkerLost, and what the job rejects with */
  run<T extends JobTask>(
    task: T,
    signal: AbortSignal | undefined,
    onProgress: (progress: JobProgress) => void,
  ): Promise<JobResult<T>>
  end(): void
}

export interface JobWorkerOptions {
  readonly worker: WorkerLike
  /** Name of the database. */
  readonly name: string
  readonly timeoutMs: number
  /** Whether to mirror what it stores. */
  readonly mirror: boolean
  readonly encryption?: Encryption | undefined
  readonly signal: AbortSignal | undefined
  /** Called with the changes of the job before it resolves. Absent if nobody in this page waits for them. */
  readonly onChanges?: ((changes: readonly StoreChange[]) => void) | undefined
}

/** Has a worker open the database. If it isn't ready in time, ends it and rejects. */
export async function startJobWorker({
  worker: made,
  name,
  timeoutMs,
  mirror,
  encryption,
  signal,
  onChanges,
}: JobWorkerOptions): Promise<JobWorker> {
  let onReply: (reply: JobReply) => void = () => undefined
  let whyLost: string | undefined
  let onLost = (reason: string): void => void (whyLost = reason)
  const worker = await startHelperWorker<JobRequest, JobReply>({
    worker: made,
    timeoutMs,
    signal,
    called: 'job worker',
    request: { keepsession: 'open-jobs', name, mirror, encryption } satisfies Omit<OpenJobsMessage, StartField>,
    onReply: (reply) => {
      if (reply.keepsession === 'changes') onChanges?.(reply.changes)
      else onReply(reply)
    },
    onLost: (reason) => onLost(reason),
  })
  return {
    end: worker.end,
    run: <T extends JobTask>(task: T, signal: AbortSignal | undefined, onProgress: (progress: JobProgress) => void) => {
      const [work, advice] = jobWording(task.kind)
      const clean: (() => void)[] = [worker.end]
      return new Promise<JobResult<T>>((resolve, reject) => {
        onLost = (reason) =>
          reject(
            signal?.aborted
              ? new SessionError('Aborted', `The ${work} was cancelled.`)
              : new SessionError('WorkerLost', `The worker of the ${work} was lost: ${reason}. ${advice}`),
          )
        // A signal that fired during any waiting before does not fire again.
        if (whyLost !== undefined || signal?.aborted) return onLost(whyLost ?? 'it was cancelled')
        onReply = (reply) => {
          if (reply.keepsession === 'progress') onProgress(reply.progress)
          else if (reply.keepsession === 'done') resolve(reply.result as JobResult<T>)
          else if (reply.keepsession === 'error') reject(errorOf(reply.error))
          else reply satisfies ReadyMessage | FailedMessage | PongMessage | ChangesMessage
        }
        const cancel = (): void => {
          worker.say({ keepsession: 'cancel', id: 0 })
          const giveUp = setTimeout(() => onLost('it did not stop'), cancelMs)
          clean.push(() => clearTimeout(giveUp))
        }
        signal?.addEventListener('abort', cancel)
        clean.push(() => signal?.removeEventListener('abort', cancel))
        worker.watch(true)
        worker.say({ keepsession: 'start', id: 0, task })
      }).finally(() => clean.forEach((step) => step()))
    },
  }
}

/**
 * The error of a job as it would have been thrown in this realm: an import of something that is no file rejects with a
 * TypeError.
 */
const errorOf = (error: WireError): unknown =>
  error.name === 'TypeError' ? Object.assign(new TypeError(error.message), error) : errorOfWire(error)
