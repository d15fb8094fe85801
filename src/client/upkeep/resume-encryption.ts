import { isSessionError } from '../../contract/errors.ts'
import { runJob } from '../files/run-job.ts'
import type { LadderResult, OpeningAttempt } from '../opening/ladder.ts'
import { makeJobWorker } from '../worker/make-job-worker.ts'

/** Delay after the opening, so that the page can show its content first. */
const afterMs = 5000

/**
 * Rewrites everything that is not sealed with the current key yet: content that was stored unencrypted, and what an
 * interrupted change of the key left.
 */
export function resumeEncryption(opened: LadderResult, attempt: OpeningAttempt): void {
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
