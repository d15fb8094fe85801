/** A worker made of a source text. */
export function workerOf(source: string): Worker {
  return new Worker(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })), { type: 'module' })
}

/** The session worker, by its address. */
export function sessionWorker(): Worker {
  return new Worker(new URL('../../../worker/session.worker.ts', import.meta.url), { type: 'module' })
}

/** Makes session workers and keeps hold of them, so that a test can kill one. */
export function createWorkerFactory(): { readonly made: Worker[]; readonly make: () => Worker } {
  const made: Worker[] = []
  return {
    made,
    make: () => {
      const worker = sessionWorker()
      made.push(worker)
      return worker
    },
  }
}
