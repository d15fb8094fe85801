import type { WorkerLike } from '../../../src/client/worker/connect-worker.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'
import { acceptJobs, type OpenFullStore } from '../../../worker/job-host.ts'

/** A job worker without a thread, over real message ports, for Node. */
export interface PortWorker extends WorkerLike {
  readonly store: SessionStore
  readonly isTerminated: () => boolean
  /** Reports an error of its script. */
  fail(message: string): void
}

/** Makes one. @param openStore - default: gives the worker's `store`, which is in memory */
export function createPortWorker(openStore?: OpenFullStore): PortWorker {
  const scope = new EventTarget()
  const outside = new EventTarget()
  const ports: MessagePort[] = []
  let isTerminated = false
  const store = createSessionStore(createMemoryBackend(), {})
  acceptJobs(scope, openStore ?? (async () => ({ store })))
  return {
    store,
    isTerminated: () => isTerminated,
    fail: (message) => void outside.dispatchEvent(Object.assign(new Event('error'), { message })),
    postMessage: (message: unknown, options?: unknown) => {
      const [port] = options as [MessagePort]
      ports.push(port)
      scope.dispatchEvent(new MessageEvent('message', { data: message, ports: [port] }))
    },
    addEventListener: outside.addEventListener.bind(outside),
    removeEventListener: outside.removeEventListener.bind(outside),
    terminate: () => {
      isTerminated = true
      for (const port of ports) port.close()
    },
  }
}
