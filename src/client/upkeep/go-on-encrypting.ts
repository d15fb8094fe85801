import { isSessionError } from '../../contract/errors.ts'
import { runJob } from '../files/run-job.ts'
import type { LadderResult, OpeningAttempt } from '../opening/ladder.ts'
import { makeJobWorker } from '../worker/make-job-worker.ts'

/** How long after the opening the rest is encrypted: by then the page has painted what it opened for. */
const afterMs = 5000

/**
 * Writes anew what is not sealed with the current key yet: what was stored plain, and what a change of the key left
 * when it broke off.
 */
export function goOnEncrypting(opened: LadderResult, attempt: OpeningAttempt): void {
  const { feed, name } = attempt
  const timer = setTimeout(() => {
    runJob(
      { ...opened, attempt, name, makeWorker: makeJobWorker },
      { kind: 'changeEncryption', rotate: false },
      feed.ending,
      () => undefined,
    ).catch((error: unknown) => {
      if (feed.ending.aborted || isSessionError(error, 'Aborted')) return
      feed.emit({
        type: 'notice',
        name: 'degraded',
        message: `A part of the store "${name}" is not encrypted as it should be. The next start tries again. ${(error as Error).message}`,
      })
    })
  }, afterMs)
  feed.ending.addEventListener('abort', () => clearTimeout(timer))
}
