import { isSessionError, SessionError } from '../../contract/errors.ts'
import { isJob } from '../opening/options-index.ts'
import type { WorkerConnection } from './connect-worker.ts'
import type { PendingCall } from './pending-call.ts'

/** The most calls in one message. More would block the page for longer than a frame. */
const batchSize = 512

/** Calls that wait to be sent to a worker. A list, because names of properties would stay in the page entry. */
export type CallOutbox = readonly [
  add: (call: PendingCall) => void,
  /** Puts calls of a lost worker in front, without those that were given up. @returns all that wait now */
  requeue: (lost: readonly PendingCall[], again: readonly PendingCall[]) => readonly PendingCall[],
  remove: (calls: readonly PendingCall[]) => void,
]

/**
 * Sends calls of one microtask in one message.
 *
 * @param connect - connects to a worker, to a new one if need be
 * @param fail - rejects a call that can't be sent
 */
export function createCallOutbox(
  connect: () => Promise<WorkerConnection>,
  send: (target: WorkerConnection, calls: readonly PendingCall[]) => void,
  fail: (call: PendingCall, error: unknown) => void,
): CallOutbox {
  let queue: PendingCall[] = []
  let isFlushing = false

  async function flush(): Promise<void> {
    try {
      while (queue.length > 0) {
        const target = await connect()
        const calls = queue.splice(0, batchSize)
        const quick = calls.filter(({ method }) => !isJob(method))
        if (quick.length > 0) send(target, quick)
        for (const one of calls) if (isJob(one.method)) send(target, [one])
        if (queue.length > 0) await nextTask()
      }
    } catch (error) {
      const lost =
        isSessionError(error) && error.name !== 'StorageUnavailable'
          ? error
          : new SessionError('WorkerLost', `The worker could not be replaced: ${(error as Error).message} Try again.`, {
              cause: error,
            })
      for (const one of queue.splice(0)) fail(one, lost)
    }
    isFlushing = false
  }
  function start(): void {
    if (isFlushing) return
    isFlushing = true
    queueMicrotask(flush)
  }

  return [
    (call) => {
      queue.push(call)
      start()
    },
    (lost, again) => {
      queue = [...again, ...queue.filter((one) => !lost.includes(one))]
      if (queue.length > 0) start()
      return [...queue]
    },
    (calls) => {
      queue = queue.filter((one) => !calls.includes(one))
    },
  ]
}

/** Lets the page do something else in between. A timer would wait 4 ms after a few rounds. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(null)
  })
}
