import { SessionError } from '../src/contract/errors.ts'
import type { JobReply, JobRequest, OpenJobsMessage } from '../src/contract/job.ts'
import type { OpenMessage, ProtocolVersion } from '../src/contract/worker-protocol.ts'
import { namesOf } from '../src/domain/names-of.ts'
import { drawBoot } from '../src/mirror/draw-boot.ts'
import { type Announcer, announceChanges } from './announce-changes.ts'
import { holdLifeSign } from './life-sign.ts'
import type { FullStore } from './open-full-store.ts'
import { runJobs } from './run-jobs.ts'
import { useBucket } from './use-bucket.ts'
import { toWireError } from './wire-error.ts'

const protocol: ProtocolVersion = 1

export type OpenFullStore = (
  request: OpenMessage,
  changes: Announcer,
  follow?: Announcer['follow'],
) => Promise<Omit<FullStore, 'epoch'>>

/**
 * Opens a store for every page that asks, and runs its jobs over the port that the page sends. Other messages are
 * ignored.
 */
export function acceptJobs(scope: Pick<EventTarget, 'addEventListener'>, openStore: OpenFullStore): void {
  scope.addEventListener('message', (event) => {
    const { data, ports } = event as MessageEvent<Partial<OpenJobsMessage> | null>
    const [port] = ports
    if (port !== undefined && data?.keepsession === 'open-jobs')
      void serveJobs(port, data as OpenJobsMessage, openStore)
  })
}

/**
 * Runs long work alongside the page, as one more tab on the same database. The first answer is `ready` or `failed`.
 * After `ready` it takes jobs, one after the other.
 */
export async function serveJobs(port: MessagePort, request: OpenJobsMessage, openStore: OpenFullStore): Promise<void> {
  const changes = announceChanges(request.name, port)
  const answer = (reply: JobReply): void => {
    // A caller who awaits the job must find its changes in the live queries.
    if (reply.keepsession === 'done' || reply.keepsession === 'error') changes.flush()
    port.postMessage(reply)
  }
  try {
    if (request.protocol !== protocol) {
      throw new SessionError(
        'StorageUnavailable',
        `The page uses protocol ${request.protocol}, the job worker ${protocol}: they are of different releases. Serve both from one.`,
      )
    }
    await useBucket(request.bucket)
    const opened = await openStore({ ...request, keepsession: 'open' }, changes)
    const { lock } = await holdLifeSign(`${namesOf(request.name)}:jobs:${drawBoot()}`)
    const jobs = runJobs(opened, answer)
    port.addEventListener('message', (event) => {
      const message = (event as MessageEvent<JobRequest | null>).data
      if (message?.keepsession === 'ping') answer({ keepsession: 'pong' })
      else if (message?.keepsession === 'start') jobs.start(message.id, message.task)
      else if (message?.keepsession === 'cancel') jobs.cancel(message.id)
      else message satisfies OpenJobsMessage | null
    })
    port.start()
    answer({ keepsession: 'ready', protocol, ...(lock === undefined ? {} : { lock }) })
  } catch (error) {
    changes.close()
    answer({ keepsession: 'failed', ...toWireError(error) })
  }
}
