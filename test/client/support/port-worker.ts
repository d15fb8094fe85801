import type { WorkerLike } from '../../../src/client/worker/connect-worker.ts'
import { acceptPages } from '../../../worker/accept-pages.ts'
import type { OpenStore } from '../../../worker/serve-page.ts'

/** A worker without a thread: the host on the other side of real message ports, for Node. */
export interface PortWorker extends WorkerLike {
  /** Messages that came from the page. */
  readonly received: unknown[]
  /** Stands still, like a thread that is busy, until it is told to go on. */
  pause(): void
  resume(): void
  isEnded(): boolean
}

/** Makes one. Terminated, it hears and says nothing more, whatever goes on inside. */
export function createPortWorker(openStore: OpenStore): PortWorker {
  const scope = new EventTarget()
  const ends: MessagePort[] = []
  const received: unknown[] = []
  let late: (() => void)[] | undefined
  let isEnded = false
  const inTurn = (step: () => void): void => void (late === undefined ? step() : late.push(step))
  acceptPages(scope, openStore)
  return {
    received,
    postMessage: (message: unknown, options?: unknown) => {
      const [outside] = options as [MessagePort]
      const inside = new MessageChannel()
      ends.push(outside, inside.port1)
      outside.addEventListener('message', ({ data }) => {
        received.push(data)
        inTurn(() => inside.port1.postMessage(data))
      })
      inside.port1.addEventListener('message', ({ data, ports }) => inTurn(() => outside.postMessage(data, [...ports])))
      outside.start()
      inside.port1.start()
      scope.dispatchEvent(new MessageEvent('message', { data: structuredClone(message), ports: [inside.port2] }))
    },
    pause: () => void (late ??= []),
    resume: () => {
      const steps = late ?? []
      late = undefined
      for (const step of steps) step()
    },
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
    terminate: () => {
      isEnded = true
      ends.forEach((port) => port.close())
    },
    isEnded: () => isEnded,
  }
}
