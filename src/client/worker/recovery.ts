import type { LostData, NoticeChange } from '../../contract/change.ts'
import { isSessionError, SessionError } from '../../contract/errors.ts'
import type { DraftOptions } from '../../contract/store/session-drafts.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import type { FailedMessage, StoreCall } from '../../contract/worker-protocol.ts'
import type { OpeningAttempt } from '../opening/ladder.ts'
import { startOfThisRelease } from '../opening/start-of-this-release.ts'
import type { RecoveryReport, RecoveryRung } from '../store-health.ts'
import { makeForStore } from './bucket-worker.ts'
import type { WorkerConnection, WorkerLike } from './connect-worker.ts'
import { makeFrameWorker, useFrames } from './frame-worker.ts'
import { type HeldWrites, holdWrites } from './held-writes.ts'
import { inTime } from './in-time.ts'
import { describeLoss, lastKnown, noteEpoch } from './loss-marker.ts'

/** If a worker loses its database within this time of its start, this way of reaching it does not work. */
const youngMs = 5000
/**
 * Pauses between attempts to reach the database: they grow to the longest one. A call (from a person who has emptied a
 * full disk, say) and a page that is shown again start an attempt at once.
 */
const [firstPauseMs, longestPauseMs] = [2000, 30_000]
/** How often storing a held write is tried before it is given up. */
const replayTries = 3
/** How long a worker may take to answer before it is watched. */
const answerMs = 2000
/** The number of steps in the report. */
const historyLength = 20

/** What a recovery needs of a store behind a worker. */
export interface RecoveryLink {
  readonly attempt: OpeningAttempt
  readonly make: () => WorkerLike
  /** The worker is the app's own and can't be replaced. */
  readonly isLent: boolean
  /** Epoch of the database that was opened first. */
  readonly epoch: string | undefined
  readonly store: SessionStore
  /** Opens the store in a worker that is not in use yet. */
  start(make: () => WorkerLike): Promise<WorkerConnection>
  /** Gives up a connection in favour of the next one. */
  lose(connection: WorkerConnection, reason: string): void
  /** Connects to the next worker. */
  connect(): Promise<WorkerConnection>
}

/** Reaches a lost database again; one run for each loss. */
export interface Recovery {
  /**
   * @param reason - why the database could not be reached any more, `''` if it was replaced by another one; absent:
   *   only the worker was lost
   * @throws DataLoss when the database is not the same any more; the error of the last attempt, when no worker can be
   *   started
   */
  start(reason: string | undefined): Promise<WorkerConnection>
  report(): RecoveryReport | undefined
  /** Tries once more to store the held writes. */
  close(): Promise<void>
}

interface Way {
  readonly rung: RecoveryRung
  readonly open: () => Promise<WorkerConnection>
}

/**
 * Tries one rung after the other: a new worker; one from a new frame (Safari); memory, where writes are held in order
 * until the database can be reached again. Dead workers are replaced the same way as before. If there is no room,
 * writes are refused instead of held.
 *
 * @param refill - restores what the database lost from the mirror
 * @param isOutOfRoom - whether the storage is full; called only when the database can't be reached
 */
export function createRecovery(
  link: RecoveryLink,
  refill: () => Promise<void>,
  isOutOfRoom: () => Promise<boolean>,
): Recovery {
  const { attempt, store } = link
  const { name, feed } = attempt
  const make = makeForStore(attempt, name, link.make)
  const ways: readonly Way[] = [
    { rung: 'worker', open: () => startOfThisRelease(link, make) },
    ...(link.isLent ? [] : [{ rung: 'frame' as const, open: openInFrame }]),
  ]
  const history: RecoveryReport['history'][number][] = []
  let way = 0
  let startedAt = Number.NEGATIVE_INFINITY
  let { epoch } = link
  let held: HeldWrites | undefined
  let found: WorkerConnection | undefined
  let gone: SessionError | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let pauseMs = firstPauseMs
  let heldAt = Number.NEGATIVE_INFINITY
  let lookedAt = Number.NEGATIVE_INFINITY
  let isLooking = false
  let isFull = false
  let isClosed = false
  let replaying = 0
  let endPauses: () => void = () => undefined
  const closing = new Promise<void>((resolve) => (endPauses = resolve))

  const notify = (notice: NoticeChange['name'], message: string): void =>
    feed.emit({ type: 'notice', name: notice, message })

  async function openInFrame(): Promise<WorkerConnection> {
    const worker = await makeFrameWorker(make)
    return link.start(() => worker)
  }

  function enter(rung: RecoveryRung, reason: string): void {
    startedAt = performance.now()
    history.push({ rung, at: Date.now(), reason })
    history.splice(0, history.length - historyLength)
    if (rung === 'frame') useFrames(attempt)
  }

  /** Accepts a connection unless it is to another database, which would be empty without anybody noticing. */
  async function check(started: WorkerConnection): Promise<WorkerConnection> {
    if (started.epoch === undefined || started.epoch === epoch) return started
    const { mirror, remote } = started
    if (mirror?.hasLost) await refill().catch(() => undefined)
    // Another tab was faster, and has already used up the mirror.
    const isFilled =
      mirror?.hasLost ||
      (mirror?.isOn && (await saysYes(remote.listSessions({ limit: 1 }).then(({ total }) => total > 0))))
    if (isFilled) {
      epoch = started.epoch
      await noteEpoch(attempt, epoch)
      if (!mirror?.hasLost)
        notify(
          'refilled',
          `The database "${name}" was lost while it was in use. Another tab has filled it again from the mirror, or has begun a new one.`,
        )
      return started
    }
    started.end()
    const inMemory =
      held === undefined || held.count() === 0
        ? ''
        : ` Writes that were held in memory are lost with it: ${held.count()}.`
    const known: Partial<LostData> = lastKnown(name) ?? {}
    gone = new SessionError(
      'DataLoss',
      `The database "${name}" was deleted, evicted or wiped while it was in use, and there is nothing to fill it from.${describeLoss(known)}${inMemory} Close this store and open it again to begin a new one.`,
    )
    const { sessions, updatedAt } = known
    feed.emit({
      type: 'notice',
      name: 'dataLost',
      message: gone.message,
      ...(sessions === undefined || updatedAt === undefined ? {} : { lost: { sessions, updatedAt } }),
    })
    throw gone
  }

  async function start(reason: string | undefined): Promise<WorkerConnection> {
    if (gone !== undefined) throw gone
    if (found !== undefined) return take(found)
    // A way that did not last long is not tried again.
    if (reason && performance.now() - startedAt < youngMs) way++
    let why = reason
    for (; way < ways.length; way++) {
      const { rung, open } = ways[way]!
      try {
        const started = await check(await open())
        enter(rung, why || 'The worker died or hung.')
        return started
      } catch (error) {
        const isFinal = isSessionError(error) && error.name !== 'StorageUnavailable'
        if (isFinal || (why === undefined && !isUnreachable(error))) throw error
        // The first error is the cause; later ones only concern the alternatives.
        why ||= (error as Error).message
      }
    }
    isFull = await isOutOfRoom()
    return hold(why || 'It was lost repeatedly.')
  }

  function take(connection: WorkerConnection): WorkerConnection {
    found = undefined
    held = undefined
    return connection
  }

  function hold(reason: string): WorkerConnection {
    way = 0
    // The pauses keep growing for a database that comes and goes.
    if (performance.now() - heldAt > longestPauseMs * 2) pauseMs = firstPauseMs
    heldAt = performance.now()
    lookedAt = heldAt
    held = holdWrites(
      reason,
      () => isFull,
      () => {
        if (performance.now() - lookedAt > firstPauseMs) void look()
      },
    )
    enter('memory', reason)
    const meanwhile = isFull
      ? 'there is no room left, on the disk or in what the browser gives this origin. New messages are refused until there is'
      : 'new messages are held in memory, and stored when it is back: keep this page open'
    notify(
      'degraded',
      `The database "${name}" can't be reached any more: ${meanwhile}. What was stored before can't be read meanwhile. ${reason}`,
    )
    lookLater()
    return held.connection
  }

  function lookLater(): void {
    clearTimeout(timer)
    if (isClosed) return
    timer = setTimeout(look, pauseMs)
    pauseMs = Math.min(pauseMs * 2, longestPauseMs)
  }

  async function look(): Promise<void> {
    if (isLooking || isClosed || held === undefined) return
    isLooking = true
    const connection = await findWay()
    // A full disk is not tested again: an opening that succeeds shows that there is room.
    if (connection === undefined && gone === undefined && !isFull) isFull = await isOutOfRoom()
    isLooking = false
    lookedAt = performance.now()
    if (gone !== undefined) link.lose(held.connection, gone.message)
    else if (connection === undefined) lookLater()
    // In a separate task, after all pending calls to the memory were answered.
    else setTimeout(() => goBack(connection))
  }

  async function findWay(): Promise<WorkerConnection | undefined> {
    for (const [i, { rung, open }] of ways.entries()) {
      try {
        const connection = await check(await open())
        way = i
        enter(rung, 'The database can be reached again.')
        return connection
      } catch {
        // The loss was announced already; the held writes wait for the next attempt.
        if (gone !== undefined) return undefined
      }
    }
    return undefined
  }

  function goBack(connection: WorkerConnection): void {
    if (held === undefined || isClosed) return connection.end()
    found = connection
    const memory = held.connection
    // They are queued before any other call, and are sent as soon as the database is connected.
    const calls = held.take()
    const resumed = new Map<unknown, Promise<unknown>>()
    const replayed = calls.map(({ method, args }) => {
      const opened = resumed.get(args[1])
      // Finding the entry that a draft resumes takes longer than writing to a draft.
      if (opened !== undefined) return opened.then(() => replay({ method, args }))
      const done = replay({ method, args })
      const { id, resume } = (method === 'openDraft' ? args[1] : {}) as Partial<DraftOptions>
      if (resume !== undefined) resumed.set(id, done)
      return done
    })
    link.lose(memory, 'The database can be reached again.')
    link.connect().catch(() => undefined)
    replaying += calls.length
    void Promise.all(replayed).then((failures) => {
      replaying -= calls.length
      const lost = failures.filter((failure) => failure !== undefined)
      if (lost.length > 0)
        notify(
          'dataLost',
          `${lost.length} of ${calls.length} writes that were held in memory could not be stored in the database "${name}". ${lost[0]}`,
        )
      else if (held === undefined)
        notify(
          'recovered',
          `The database "${name}" can be reached again. Writes that were held in memory are stored: ${calls.length}.`,
        )
    })
  }

  /**
   * The write was acknowledged as held. If there is no room, it waits for some as long as the store is open.
   * @returns why it could not be stored
   */
  async function replay({ method, args }: StoreCall): Promise<string | undefined> {
    let roomPauseMs = firstPauseMs
    for (let tries = 1; ; tries++) {
      try {
        await (store[method] as (...given: readonly unknown[]) => Promise<unknown>)(...args) // bounded: a method's parameters
        return undefined
      } catch (error) {
        if (isSessionError(error, 'QuotaExceeded') && !isClosed) {
          tries = 0
          await inTime(closing, roomPauseMs).catch(() => undefined)
          roomPauseMs = Math.min(roomPauseMs * 2, longestPauseMs)
          continue
        }
        const mayPass = isSessionError(error, 'WorkerLost') || isSessionError(error, 'StorageUnavailable')
        if (!mayPass || tries >= replayTries) return `${method} ${JSON.stringify(args[0])}: ${(error as Error).message}`
      }
    }
  }

  const onShown = (): void => {
    if (document.visibilityState === 'visible') void look()
  }
  if ((globalThis.document as unknown) !== undefined) document.addEventListener('visibilitychange', onShown)

  async function close(): Promise<void> {
    isClosed = true
    endPauses()
    clearTimeout(timer)
    if ((globalThis.document as unknown) !== undefined) document.removeEventListener('visibilitychange', onShown)
    const calls = held?.take() ?? []
    if (calls.length === 0) return
    const storing = (async (): Promise<boolean> => {
      const connection = await findWay()
      const outcomes = await connection?.remote.batch(calls)
      await connection?.remote.close()
      connection?.end()
      return outcomes?.every((outcome) => 'value' in outcome) ?? false
    })()
    const isStored = await saysYes(storing)
    if (!isStored)
      notify(
        'dataLost',
        `Writes were held in memory because the database "${name}" could not be reached, nor when the store was closed. Lost writes: ${calls.length}.`,
      )
  }

  return {
    start,
    report: () => {
      const last = history.at(-1)
      return last && { rung: last.rung, held: (held?.count() ?? 0) + replaying, history: [...history] }
    },
    close,
  }
}

/** The answer of a worker that is not watched; false if it fails or takes too long. */
const saysYes = (asked: Promise<boolean>): Promise<boolean> => inTime(asked, answerMs).catch(() => false)

/** Whether a worker started but could not open the database. */
function isUnreachable(error: unknown): boolean {
  return (
    isSessionError(error, 'StorageUnavailable') && (error.cause as FailedMessage | undefined)?.keepsession === 'failed'
  )
}
