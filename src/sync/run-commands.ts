import type { BatchedReviews } from './batched-reviews.ts'
import type { SyncEffect, SyncEffectType } from './machine/machine-command.ts'
import type { RequestedSessions } from './requested-sessions.ts'
import type { RunCommand } from './sync-driver.ts'
import type { SyncParts } from './sync-parts.ts'

export interface CommandRunnerOptions extends SyncParts {
  readonly reviews: BatchedReviews
  readonly requested: RequestedSessions
  /** Follows the store no longer. */
  readonly unfollow: () => void
}

type Of<T extends SyncEffectType> = Extract<SyncEffect, { readonly type: T }>
type Runners = { readonly [T in Exclude<SyncEffectType, 'tell'>]: (command: Of<T>) => unknown }

/** What each command does. Whatever sync does to the outside is in this table. */
export function commandRunner(parts: CommandRunnerOptions): RunCommand {
  const runners: Runners = { ...listCommands(parts), ...sessionCommands(parts), ...otherCommands(parts) }
  return (command) => (runners[command.type] as (one: SyncEffect) => unknown)(command)
}

function listCommands({ list, report }: CommandRunnerOptions) {
  return {
    openList: list.open,
    closeList: list.close,
    askList: list.ask,
    retryList: list.retry,
    dropList: list.drop,
    setReadonly: list.setReadonly,
    quarantineList: ({ reason }: Of<'quarantineList'>) => report.quarantine('', [{ reason }]),
  }
}

function sessionCommands(parts: CommandRunnerOptions) {
  const { window, settled, failed, eraser, doubted, purges, publisher, reviews, scopes, changes } = parts
  return {
    startWindow: window.start,
    stopWindow: window.stop,
    review: ({ again }: Of<'review'>) => reviews.request(again),
    retryFailed: () => reviews.request(failed.take()),
    forgetSettled: settled.clear,
    forgetSettledPurges: () => {
      for (const { key } of purges.all()) settled.delete(key)
    },
    forgetFailures: () => {
      failed.clear()
      eraser.clear()
    },
    doubtAll: () => {
      const { locals, index, blobs } = scopes.current()
      for (const key of locals.all.keys()) doubted.add(key)
      // It may have again what was purged.
      for (const { key, purged } of index.entries().values()) if (purged !== undefined) doubted.add(key)
      blobs.doubt()
    },
    dropStale: window.dropStale,
    announcePurges: () => void publisher.announcePurges(),
    hurryChanges: changes.hurry,
    hurryWhenExchanged: () => {
      if (window.pending() === 0) changes.hurry()
    },
    endErasing: eraser.close,
  }
}

function otherCommands(parts: CommandRunnerOptions) {
  const { keyChecks, keyChanger, firstLoad, scopes, saver, presence, report, watched, changes, reviews } = parts
  return {
    checkKey: keyChecks.check,
    stopKeyChange: () => keyChanger.stop()?.catch(ignore),
    loadStore: firstLoad.start,
    retryBlobs: ({ hashes }: Of<'retryBlobs'>) => scopes.current().blobs.retry(hashes),
    pauseBlobs: () => scopes.current().blobs.pause(),
    closeBlobs: () => scopes.current().blobs.close(),
    saveSoon: () => void saver.saveSoon(),
    saveNow: saver.saveNow,
    notice: ({ text }: Of<'notice'>) => report.notice(text),
    showWatched: ({ key, isWatched }: Of<'showWatched'>) => presence?.setWatched(key, isWatched),
    closeIntake: () => {
      parts.unfollow()
      parts.requested.close()
      watched.close()
      changes.close()
      reviews.close()
      parts.unreadable.close()
    },
  }
}

/** The caller of `changeKeys` is told why it ended. */
const ignore = (): void => undefined
