import type { MirrorReport } from '../../contract/mirror.ts'
import type { SessionClient } from '../client-contract.ts'
import type { StoreMode } from '../open-options.ts'
import type { OpeningAttempt } from '../opening/ladder.ts'
import { startJobWorker } from '../worker/job-worker.ts'
import { jobWorkerLoaders } from '../worker/load-job-worker.ts'
import { makeJobWorker } from '../worker/make-job-worker.ts'

/**
 * How long after the opening a database is held against its mirror: by then the page has painted what it opened for.
 */
const afterMs = 5000
/** How long after a part of a session could not be read: of what is read at once, all is looked at together. */
const soonMs = 200

/**
 * Looks closer at a database that seems whole, once the page has got going, and again when its mirror had to stop and
 * goes on: the tab that leads does, one time each; and at sessions of which a part could not be read.
 *
 * @param isHeld - it was held against its mirror when it was opened
 */
export function keepMirrorLater(
  mode: StoreMode,
  attempt: OpeningAttempt,
  client: Pick<SessionClient, 'lead'>,
  isHeld = false,
): void {
  const { ending, subscribe } = attempt.feed
  let timer: ReturnType<typeof setTimeout> | undefined
  let isWaiting = false
  const damaged = new Set<string>()
  const check = async (): Promise<void> => {
    isWaiting = false
    const keys = [...damaged]
    damaged.clear()
    announceRefill(await refillFromMirror(mode, attempt, keys), attempt, false)
  }
  const checkLater = (inMs = afterMs): void => {
    // A tab that does not lead has it but once to do.
    if (isWaiting || ending.aborted) return
    isWaiting = true
    // It never rejects by itself: only when the store is closed before this tab leads.
    timer = setTimeout(() => client.lead(check).catch(() => undefined), inMs)
  }
  if (!isHeld) checkLater()
  subscribe((change) => {
    if (change.type !== 'notice') return
    if (change.name === 'recovered') checkLater()
    if (change.name !== 'recordSkipped') return
    for (const key of change.keys ?? []) damaged.add(key)
    checkLater(soonMs)
  })
  ending.addEventListener('abort', () => clearTimeout(timer))
}

/** Puts back what a database lost while it was open. */
export async function refillLost(mode: StoreMode, attempt: OpeningAttempt): Promise<void> {
  announceRefill(await refillFromMirror(mode, attempt), attempt, true)
}

/**
 * Holds a database against its mirror, and puts back what it has lost, until the store is closed. Never rejects: what
 * went wrong is in the report.
 */
export async function refillFromMirror(
  mode: StoreMode,
  attempt: Pick<OpeningAttempt, 'name' | 'timeoutMs' | 'feed'> & Partial<Pick<OpeningAttempt, 'encryption'>>,
  damaged: readonly string[] = [],
): Promise<MirrorReport> {
  const { name, timeoutMs, encryption, feed } = attempt
  const signal = feed.ending
  let reason = 'there is no worker that could do it'
  for (const load of jobWorkerLoaders({ name, mode, attempt }, makeJobWorker)) {
    if (signal.aborted) break
    try {
      const worker = await startJobWorker({
        worker: (await load())(),
        name,
        timeoutMs,
        mirror: true,
        encryption,
        signal,
      })
      const report = await worker.run({ kind: 'keepMirror', damaged }, signal, () => undefined)
      if (report !== undefined) return report
    } catch (error) {
      reason = (error as Error).message
    }
  }
  return { refilled: [], entries: 0, lost: 0, copied: 0, blobs: 0, left: [{ key: '', reason }] }
}

/**
 * Tells what a database had lost, and what became of it.
 *
 * @param isReplaced - it is known to be another one than that of the mirror; otherwise it most likely lacks nothing
 */
export function announceRefill(
  { refilled, lost, left }: MirrorReport,
  { name, feed }: Pick<OpeningAttempt, 'name' | 'feed'>,
  isReplaced: boolean,
): void {
  if (lost > 0) {
    feed.emit({
      type: 'notice',
      name: 'refilled',
      message: `The browser had lost a part of the database "${name}". It was put back from the mirror: ${lost} entries of ${refilled.length} sessions.`,
    })
  }
  const [first] = left
  if (first?.key === '' && !isReplaced) {
    feed.emit({
      type: 'notice',
      name: 'degraded',
      message: `The database "${name}" could not be held against its mirror. The next start tries again. ${first.reason}`,
    })
  } else if (left.length > 0) {
    feed.emit({
      type: 'notice',
      name: 'dataLost',
      message: `Not everything in the mirror of the database "${name}" could be held against it or put back. ${left.map(({ key, reason }) => `${key === '' ? '' : `Session "${key}": `}${reason}`).join(' ')}`,
    })
  }
}
