import type { MirrorReport } from '../../contract/mirror.ts'
import type { SessionClient } from '../client-contract.ts'
import type { StoreMode } from '../open-options.ts'
import type { OpeningAttempt } from '../opening/ladder.ts'
import { startJobWorker } from '../worker/job-worker.ts'
import { jobWorkerLoaders } from '../worker/load-job-worker.ts'
import { makeJobWorker } from '../worker/make-job-worker.ts'

/**
 * Delay after the opening before a database is compared with its mirror, so that the page can show its content first.
 */
const afterMs = 5000
/** Delay after a part of a session could not be read, so that all damage found by one read is processed together. */
const soonMs = 200

/**
 * Compares a database that seems intact with its mirror: once after the page has started, and again when a mirror that
 * had stopped resumes, each time in the tab that leads; and sessions with parts that could not be read.
 *
 * @param isHeld - whether it was already compared when it was opened
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
    // A tab that does not lead needs to wait for only one comparison.
    if (isWaiting || ending.aborted) return
    isWaiting = true
    // It only rejects when the store is closed before this tab leads.
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

/** Restores what a database lost while it was open. */
export async function refillLost(mode: StoreMode, attempt: OpeningAttempt): Promise<void> {
  announceRefill(await refillFromMirror(mode, attempt), attempt, true)
}

/**
 * Compares a database with its mirror and restores what was lost, until the store is closed. Never rejects: the report
 * has the failures.
 */
export async function refillFromMirror(
  mode: StoreMode,
  attempt: Pick<OpeningAttempt, 'name' | 'timeoutMs' | 'feed'> & Partial<Pick<OpeningAttempt, 'encryption'>>,
  damaged: readonly string[] = [],
): Promise<MirrorReport> {
  const { name, timeoutMs, encryption, feed } = attempt
  const signal = feed.ending
  let reason = 'no worker could be started for it'
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
  return { refilled: [], entries: 0, lost: 0, copied: 0, blobs: 0, rows: 0, left: [{ key: '', reason }] }
}

/**
 * Announces what a database had lost, and what was restored.
 *
 * @param isReplaced - whether it is known not to be the database of the mirror; otherwise it most likely lacks nothing
 */
export function announceRefill(
  { refilled, lost, rows, left }: MirrorReport,
  { name, feed }: Pick<OpeningAttempt, 'name' | 'feed'>,
  isReplaced: boolean,
): void {
  const restored = [
    ...(lost > 0 ? [`${lost} entries of ${refilled.length} sessions`] : []),
    ...(rows > 0 ? [`${rows} rows of collections`] : []),
  ]
  if (restored.length > 0) {
    feed.emit({
      type: 'notice',
      name: 'refilled',
      message: `The browser had lost a part of the database "${name}". It was restored from the mirror: ${restored.join(' and ')}.`,
    })
  }
  const [first] = left
  if (first?.key === '' && !isReplaced) {
    feed.emit({
      type: 'notice',
      name: 'degraded',
      message: `The database "${name}" could not be compared with its mirror. The next start tries again. ${first.reason}`,
    })
  } else if (left.length > 0) {
    feed.emit({
      type: 'notice',
      name: 'dataLost',
      message: `A part of the mirror of the database "${name}" could not be compared or restored. ${left.map(({ key, reason }) => `${key === '' ? '' : `Session "${key}": `}${reason}`).join(' ')}`,
    })
  }
}
