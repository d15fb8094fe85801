import { errorOfWire, isSessionError, SessionError } from '../../contract/errors.ts'
import type { JobMethod, SessionStore } from '../../contract/store/session-store.ts'
import type { CallOutcome, StoreCall } from '../../contract/worker-protocol.ts'
import { isJob, methodNames, optionsIndex } from '../opening/options-index.ts'
import { createCallNumbers } from './call-numbers.ts'
import type { WorkerConnection } from './connect-worker.ts'
import { copyArgument } from './copy-argument.ts'

/** Calls that one message carries. More would keep the page busy for longer than a frame. */
const batchSize = 512
/** What a call may take to settle once its worker was lost. */
export const graceMs = 2000

/** How a remote store reaches its worker. */
export interface RemoteLink {
  /** The worker's connection, started anew when there is none. */
  connect(): Promise<WorkerConnection>
  /** Whether calls wait for answers: then the link watches the worker more closely. */
  watch(isWaiting: boolean): void
  /** Does a job where the worker does none. */
  readonly runJob?: ((method: JobMethod, args: readonly unknown[]) => Promise<unknown>) | undefined
  /** Closes the worker's store, if there is a worker, and ends it for good. */
  close(): Promise<void>
}

export interface RemoteStore {
  readonly store: SessionStore
  /**
   * The worker of this connection is gone: its calls go to the next one.
   *
   * @param isWell - it lives, and only can't do them; then no call is to blame
   */
  lose(connection: WorkerConnection, isWell: boolean): void
}

interface PendingCall extends StoreCall {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  /** Where it was sent. */
  target?: WorkerConnection
  isRetried?: true
}

/**
 * A store behind a worker. Calls of one microtask go out in one message. When the worker is lost, what it had not
 * answered is sent to the next one, once: writes carry an operation id, so that none happens twice.
 *
 * @param operations - what the operation ids begin with
 */
export function createRemoteStore(operations: string, link: RemoteLink): RemoteStore {
  const pending = new Set<PendingCall>()
  const draw = createCallNumbers(operations)
  let queue: PendingCall[] = []
  let isFlushing = false
  let closing: Promise<void> | undefined
  let onIdle: (() => void) | undefined

  function call(method: keyof SessionStore, args: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (closing !== undefined)
        throw new SessionError('StorageClosed', `${method} was called after the store was closed. Open it again.`)
      const copies = args.map(copyArgument)
      if (link.runJob !== undefined && isJob(method)) return resolve(link.runJob(method, copies))
      const one: PendingCall = { method, args: withOperation(method, copies), resolve, reject }
      pending.add(one)
      link.watch(true)
      enqueue([one])
    })
  }

  function withOperation(method: keyof SessionStore, args: unknown[]): unknown[] {
    const index = optionsIndex[method]
    if (index < 0) return args
    const options = (args[index] ?? {}) as Record<string, unknown>
    const call = draw(args[0])
    // What is left out in between is a hole, which the call on the other side takes for undefined.
    args[index] =
      method === 'openDraft'
        ? { ...options, id: options['id'] ?? call }
        : { ...options, operationId: options['operationId'] ?? call, call }
    return args
  }

  function enqueue(calls: readonly PendingCall[]): void {
    for (const call of calls) queue.push(call)
    if (isFlushing) return
    isFlushing = true
    queueMicrotask(flush)
  }

  async function flush(): Promise<void> {
    try {
      while (queue.length > 0) {
        const target = await link.connect()
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
      for (const one of queue.splice(0)) settle(one, () => one.reject(lost))
    }
    isFlushing = false
  }

  function send(target: WorkerConnection, calls: readonly PendingCall[]): void {
    for (const one of calls) one.target = target
    const { remote } = target
    const [first] = calls
    const answers: Promise<readonly CallOutcome[]> =
      calls.length === 1 && first !== undefined
        ? // bounded: a method's parameters
          (remote[first.method] as (...args: readonly unknown[]) => Promise<unknown>)(...first.args).then((value) => [
            { value },
          ])
        : remote.batch(calls.map(({ method, args }) => ({ method, args })))
    answers.then(
      (outcomes) => calls.forEach((one, i) => answer(one, target, outcomes[i])),
      (error: unknown) => calls.forEach((one) => answer(one, target, { error: error as Error })),
    )
  }

  function answer(one: PendingCall, from: WorkerConnection, outcome: CallOutcome | undefined): void {
    if (one.target !== from) return
    if (outcome !== undefined && 'value' in outcome) return settle(one, () => one.resolve(outcome.value))
    settle(one, () =>
      one.reject(errorOfWire(outcome?.error ?? { name: 'Error', message: 'The worker gave no answer.' })),
    )
  }

  function settle(one: PendingCall, act: () => void): void {
    if (!pending.delete(one)) return
    act()
    if (pending.size > 0) return
    link.watch(false)
    onIdle?.()
  }

  function lose(connection: WorkerConnection, isWell: boolean): void {
    const lost = [...pending].filter(({ target }) => target === connection)
    const fail = (one: PendingCall): void =>
      settle(one, () =>
        one.reject(
          new SessionError(
            'WorkerLost',
            `The worker died during ${one.method}, which may be done or not. Look before trying again.`,
          ),
        ),
      )
    for (const one of lost) {
      delete one.target
      if (isWell) continue
      if (one.isRetried) fail(one)
      else one.isRetried = true
    }
    const again = lost.filter((one) => pending.has(one))
    queue = [...again, ...queue.filter((one) => !lost.includes(one))]
    if (queue.length === 0) return
    const waiting = [...queue]
    setTimeout(() => {
      queue = queue.filter((one) => !waiting.includes(one))
      waiting.forEach(fail)
    }, graceMs)
    enqueue([])
  }

  async function close(): Promise<void> {
    await new Promise<void>((resolve) => {
      onIdle = resolve
      if (pending.size === 0) resolve()
    })
    await link.close()
  }

  const methods = Object.fromEntries(
    methodNames.map((name) => [name, (...args: readonly unknown[]) => call(name, args)]),
  )
  return { store: { ...methods, close: () => (closing ??= close()) } as unknown as SessionStore, lose }
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
