import { hoursAhead } from './wrong-clock.ts'

interface WorkerOption {
  readonly worker?: () => Worker
}

const name = String(hoursAhead)

/** What the store is opened with, so that its worker has this device's clock. */
export const sessionWorker: WorkerOption =
  hoursAhead === 0
    ? {}
    : { worker: () => new Worker(new URL('./session.worker.ts', import.meta.url), { type: 'module', name }) }

/** The same for sync. */
export const syncWorker: WorkerOption =
  hoursAhead === 0
    ? {}
    : { worker: () => new Worker(new URL('./sync.worker.ts', import.meta.url), { type: 'module', name }) }
