import { errorOfWire, SessionError } from '../../contract/errors.ts'
import type { JobMethod, SessionStore } from '../../contract/store/session-store.ts'
import type { CallOutcome, HostedMethod } from '../../contract/worker-protocol.ts'
import { isJob, methodNames, optionsIndex } from '../opening/options-index.ts'
import { createCallNumbers } from './call-numbers.ts'
import { createCallOutbox } from './call-outbox.ts'
import type { WorkerConnection } from './connect-worker.ts'
import { copyArgument } from './copy-argument.ts'
import type { PendingCall } from './pending-call.ts'

/** How long a call may take to settle once its worker was lost. */
export const graceMs = 2000

/** How a remote store reaches its worker. */
export interface RemoteLink {
  /** Connects to the worker, to a new one if there is none. */
  connect(): Promise<WorkerConnection>
  /** What a write has to wait for, lest it overtakes held ones (see `HeldReplay`). */
  readonly turn?: (target: unknown) => (() => Promise<void>) | undefined
  /**
   * Called when a call starts or stops waiting for its answer: while any does, the link checks that the worker is
   * alive.
   *
   * @param items - how much the waiting calls carry; 0 when none waits
   */
  watch(items: number): void
  /** Runs a job, where the worker of the store runs none. */
  readonly runJob?: ((method: JobMethod, args: readonly unknown[]) => Promise<unknown>) | undefined
  /** Closes the worker's store, if there is a worker, and ends it for good. */
  close(): Promise<void>
}

export interface RemoteStore {
  readonly store: SessionStore
  /** The same, for writes that others wait for. */
  readonly direct: SessionStore
  /** Has the database what was answered so far, because other workers read that. Never rejects. */
  fold(): Promise<void>
  /**
   * To be called when the worker of a connection is lost: its calls are sent to the next one.
   *
   * @param isWell - the worker is alive but can't answer them, so that no call caused the loss
   */
  lose(connection: WorkerConnection, isWell: boolean): void
}

/**
 * A store in a worker. When the worker is lost, the calls without an answer are sent to the next one, once: writes carry
 * an operation id, so that none happens twice.
 *
 * @param operations - what the operation ids begin with
 */
export function createRemoteStore(operations: string, link: RemoteLink): RemoteStore {
  const pending = new Set<PendingCall>()
  const draw = createCallNumbers(operations)
  let closing: Promise<void> | undefined
  let onIdle: (() => void) | undefined
  let items = 0

  function call(method: HostedMethod, args: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (closing !== undefined)
        throw new SessionError('StorageClosed', `${method} was called after the store was closed. Open it again.`)
      const copies = args.map(copyArgument)
      if (link.runJob !== undefined && isJob(method)) return resolve(link.runJob(method, copies))
      const one: PendingCall = { method, args: withOperation(method, copies, draw), resolve, reject }
      pending.add(one)
      link.watch((items += itemsOf(one)))
      addCall(one)
    })
  }

  function send(target: WorkerConnection, calls: readonly PendingCall[]): void {
    for (const one of calls) one.target = target
    callRemote(target, calls).then(
      (outcomes) => calls.forEach((one, i) => answer(one, target, outcomes[i])),
      (error: unknown) => calls.forEach((one) => answer(one, target, { error: error as Error })),
    )
  }

  function answer(one: PendingCall, from: WorkerConnection, outcome: CallOutcome | undefined): void {
    if (one.target !== from) return
    if (outcome !== undefined && 'value' in outcome) return settle(one, () => one.resolve(outcome.value))
    fail(one, errorOfWire(outcome?.error ?? { name: 'Error', message: 'The worker gave no answer.' }))
  }

  function settle(one: PendingCall, act: () => void): void {
    if (!pending.delete(one)) return
    act()
    link.watch((items -= itemsOf(one)))
    if (items === 0) onIdle?.()
  }

  const fail = (one: PendingCall, error: unknown): void => settle(one, () => one.reject(error))
  const [addCall, requeueCalls, removeCalls] = createCallOutbox(link.connect, send, fail)

  function lose(connection: WorkerConnection, isWell: boolean): void {
    const lost = [...pending].filter(({ target }) => target === connection)
    const giveUp = (one: PendingCall): void =>
      fail(
        one,
        new SessionError(
          'WorkerLost',
          `The worker was lost during ${one.method}, which may be stored or not. Check before you try again.`,
        ),
      )
    for (const one of lost) {
      delete one.target
      if (isWell) continue
      if (one.isRetried) giveUp(one)
      else one.isRetried = true
    }
    const waiting = requeueCalls(
      lost,
      lost.filter((one) => pending.has(one)),
    )
    if (waiting.length === 0) return
    setTimeout(() => {
      removeCalls(waiting)
      waiting.forEach(giveUp)
    }, graceMs)
  }

  async function close(): Promise<void> {
    await new Promise<void>((resolve) => {
      onIdle = resolve
      if (pending.size === 0) resolve()
    })
    await link.close()
  }

  const storeOf = (run: Call): SessionStore => {
    const methods = methodNames.map((name) => [name, (...args: readonly unknown[]) => run(name, args)])
    return { ...Object.fromEntries(methods), close: () => (closing ??= close()) }
  }
  return {
    store: storeOf(inTurn(call, link)),
    direct: storeOf(call),
    fold: async () => void (await call('fold', []).catch(() => undefined)),
    lose,
  }
}

type Call = (method: HostedMethod, args: readonly unknown[]) => Promise<unknown>

/** Has writes wait for held ones. */
function inTurn(call: Call, { turn }: Pick<RemoteLink, 'turn'>): Call {
  return function callInTurn(method, args) {
    const wait = comesInTurn(method) ? turn?.(args[0]) : undefined
    if (wait === undefined) return call(method, args)
    return new Promise((resolve) => {
      const copies = args.map(copyArgument)
      resolve(wait().then(() => callInTurn(method, copies)))
    })
  }
}

/** Whether a call writes to one session. A purge comes at once, because it makes room. */
const comesInTurn = (method: HostedMethod): boolean =>
  method === 'writeDraft' ||
  method === 'dropDraft' ||
  (method !== 'fold' && method !== 'purge' && method !== 'writeRows' && optionsIndex[method] >= 0)

/** How many arguments a call has, of lists their items, and one more. */
const itemsOf = ({ args }: PendingCall): number => args.flat().length + 1

/** Calls a worker: one method by itself, several in one message. */
function callRemote({ remote }: WorkerConnection, calls: readonly PendingCall[]): Promise<readonly CallOutcome[]> {
  const [first] = calls
  if (calls.length > 1 || first === undefined) return remote.batch(calls.map(({ method, args }) => ({ method, args })))
  // bounded: a method's parameters
  return (remote[first.method] as unknown as (...args: readonly unknown[]) => Promise<unknown>)(...first.args).then(
    (value) => [{ value }],
  )
}

/** Gives a write its operation id. */
function withOperation(method: HostedMethod, args: unknown[], draw: (key: unknown) => string): unknown[] {
  const index = method === 'fold' ? -1 : optionsIndex[method]
  if (index < 0) return args
  const options = (args[index] ?? {}) as Record<string, unknown>
  const call = draw(args[0])
  // Arguments left out in between are holes, which the other side reads as undefined.
  args[index] =
    method === 'openDraft'
      ? { ...options, id: options['id'] ?? call }
      : { ...options, operationId: options['operationId'] ?? call, call }
  return args
}
