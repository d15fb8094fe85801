import { vi } from 'vitest'

const RealWorker = globalThis.Worker

/**
 * Keeps hold of the job workers that are made from now on, or makes something else of them. `vi.unstubAllGlobals()`
 * ends it.
 */
export function watchJobWorkers(
  make = (url: string | URL, options?: WorkerOptions): Worker => new RealWorker(url, options),
): Worker[] {
  const made: Worker[] = []
  vi.stubGlobal('Worker', function (url: string | URL, options?: WorkerOptions) {
    const worker = make(url, options)
    if (options?.name === 'keepsession-jobs') made.push(worker)
    return worker
  })
  return made
}
