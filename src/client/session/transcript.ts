import type { StoreChange } from '../../contract/change.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import type { Transcript, TranscriptSnapshot } from '../session-contract.ts'
import type { ChangeFeed } from './change-feed.ts'
import { createLiveQuery, type LiveSource } from './live-query.ts'
import type { LocalDrafts } from './local-drafts.ts'
import { onNextFrame } from './next-frame.ts'
import { createRefresher } from './refresher.ts'
import { createDraftShower } from './show-drafts.ts'
import { createTranscriptDrafts } from './transcript-drafts.ts'
import { createTranscriptLog } from './transcript-log.ts'

/** What a transcript is made of. */
interface TranscriptParts {
  readonly store: SessionStore
  readonly feed: ChangeFeed
  readonly key: string
  /** The least number of entries to show. */
  readonly last: number
  /** The replies that this page streams: they are shown as they are in memory. */
  readonly local?: LocalDrafts
}

/** Keeps the newest part of a transcript current. */
export function createTranscript({ store, feed, key, last, local }: TranscriptParts, onEnd: () => void): Transcript {
  const log = createTranscriptLog(store, key, last)
  const drafts = createTranscriptDrafts(store, key)
  const showDrafts = createDraftShower()
  let isLoaded = false
  /** Why the last reading failed: whatever comes next, all of it is read again. */
  let failure: unknown
  let isPublishing = false
  let cancelFrame: (() => void) | undefined
  let source: LiveSource<TranscriptSnapshot>

  /** All changes of a task become one snapshot. */
  function publish(): void {
    drafts.watchSilence()
    if (isPublishing) return
    isPublishing = true
    cancelFrame?.()
    cancelFrame = undefined
    queueMicrotask(() => {
      isPublishing = false
      const { entries, more, skipped } = log.page()
      const shown = local === undefined ? drafts.list() : drafts.list().map(local.show)
      if (isLoaded)
        source.publish(Object.freeze({ ...showDrafts(entries, shown), more, meta: log.meta(), skipped }), failure)
    })
  }

  /** A reply that this page streams has grown: it is shown once a frame. A draft that isn't shown yet grows when it is. */
  function grow(draft: string): void {
    if (!drafts.list().some(({ id }) => id === draft)) return
    cancelFrame ??= onNextFrame(() => {
      cancelFrame = undefined
      publish()
    })
  }

  async function readAgain(): Promise<boolean> {
    drafts.startReading()
    const [show, newDrafts] = await Promise.all([log.read(), store.listDrafts(key)])
    show()
    failure = undefined
    const isOutdated = drafts.replace(newDrafts)
    isLoaded = true
    publish()
    return isOutdated
  }
  const { refresh, reading, readAnew, stop } = createRefresher(readAgain, (error) => {
    failure = error
    source.fail(error)
  })

  function apply(change: StoreChange): void {
    if (change.type === 'notice') {
      if (change.name === 'workerRestarted') void refresh()
    } else if (change.type === 'collection' || !log.isAbout(change)) return
    else if (failure !== undefined) void refresh()
    else if (change.type === 'session') {
      if (log.includes(change)) return
      if (reading() === undefined && log.apply(change)) publish()
      else void refresh()
    } else {
      if (reading() !== undefined) drafts.keep(change)
      // The completed entry is read again; until then it shows the content of the draft.
      if (drafts.endsResumed(change)) void refresh()
      else if (drafts.apply(change)) publish()
      else if (reading() === undefined) void refresh()
    }
  }

  const query = createLiveQuery<TranscriptSnapshot>(feed.ending, (given) => {
    source = given
    const unsubscribe = feed.subscribe(apply)
    const unfollow = local?.follow(key, grow)
    void refresh()
    return () => {
      stop()
      unfollow?.()
      cancelFrame?.()
      drafts.close()
      unsubscribe()
      onEnd()
    }
  })

  async function loadEarlier(count = 100): Promise<void> {
    await query.ready()
    await reading()
    const extend = await log.lengthen(count)
    // When it changed meanwhile, all of it is read again. A reading that began before knows of fewer entries.
    if (reading() !== undefined || !extend()) return readAnew()
    publish()
  }

  return { ...query, loadEarlier }
}
