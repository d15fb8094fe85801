import { expect, it } from 'vitest'
import { type JobStore, runJob } from '../../src/client/files/run-job.ts'
import type { WorkerLike } from '../../src/client/worker/connect-worker.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'

/** A worker that is ready at once, and says that it has done whatever it is told to start. */
function createFakeWorker() {
  const heard: string[] = []
  let isTerminated = false
  let onClosed: () => void = () => undefined
  /** Resolves when its port was closed and all that was said before has arrived. */
  const closed = new Promise<void>((resolve) => (onClosed = resolve))
  const worker = {
    postMessage: (_: unknown, [port]: readonly [MessagePort]) => {
      port.addEventListener('close', onClosed)
      port.onmessage = ({ data: { keepsession } }) => {
        heard.push(keepsession)
        if (keepsession === 'start') port.postMessage({ keepsession: 'done', id: 0 })
      }
      port.postMessage({ keepsession: 'ready', protocol: 1 })
    },
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
    terminate: () => void (isTerminated = true),
  }
  return { worker: worker as unknown as WorkerLike, heard, closed, isTerminated: () => isTerminated }
}

it('does not begin a job that is cancelled while the journal is folded, and ends its worker', async () => {
  const { worker, heard, closed, isTerminated } = createFakeWorker()
  const ending = new AbortController()
  const jobStore: JobStore = {
    name: 'app',
    mode: 'worker',
    store: createSessionStore(createMemoryBackend(), {}),
    makeWorker: () => worker,
    attempt: { encryption: undefined },
    fold: async () => ending.abort(),
  }
  const job = runJob(jobStore, { kind: 'verifyStore' }, ending.signal, () => undefined)
  await expect(job).rejects.toMatchObject({ name: 'Aborted' })
  expect(isTerminated()).toBe(true)
  await closed
  expect(heard).toEqual([])
})
