const workerName = 'keepsession'

/** The session workers that this page has started and not lost yet, the newest last. */
const started: WeakRef<Worker>[] = []

/**
 * Remembers the workers that are started from here on: the library keeps its own to itself. To be called before a store
 * is opened.
 */
export function rememberWorkers(): void {
  // There are none where a policy forbids them.
  if ((globalThis.Worker as unknown) === undefined) return
  globalThis.Worker = class extends Worker {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(url, options)
      if (options?.name === workerName) started.push(new WeakRef(this))
    }
  }
}

/** Ends the session worker of this page, as a crash of its process would. @returns what was done */
export function killWorker(): string {
  const worker = started.pop()?.deref()
  worker?.terminate()
  return worker === undefined ? 'This page has started no worker.' : 'It is gone. The store starts another one.'
}
