import type { StoreChange } from '../../contract/change.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import type { Transcript, TranscriptSnapshot } from '../session-contract.ts'
import type { ChangeFeed } from './change-feed.ts'
import { createLiveQuery, type LiveSource } from './live-query.ts'
import { createRefresher } from './refresher.ts'
import { createDraftShower } from './show-drafts.ts'
import { createTranscriptDrafts } from './transcript-drafts.ts'
import { createTranscriptLog } from './transcript-log.ts'

/** Keeps the newest part of a transcript current. */
export function createTranscript(
  store: SessionStore,
  feed: ChangeFeed,
  key: string,
  last: number,
  onEnd: () => void,
): Transcript {
  const log = createTranscriptLog(store, key, last)
  const drafts = createTranscriptDrafts(store, key)
  const showDrafts = createDraftShower()
  let isLoaded = false
  let isPublishing = false
  let source: LiveSource<TranscriptSnapshot>

  /** All changes of a task become one snapshot. */
  function publish(): void {
    drafts.watchSilence()
    if (isPublishing) return
    isPublishing = true
    queueMicrotask(() => {
      isPublishing = false
      const { entries, more, skipped } = log.page()
      if (isLoaded)
        source.publish(Object.freeze({ ...showDrafts(entries, drafts.list()), more, meta: log.meta(), skipped }))
    })
  }

  async function readAgain(): Promise<boolean> {
    drafts.startReading()
    const [show, newDrafts] = await Promise.all([log.read(), store.listDrafts(key)])
    show()
    const isOutdated = drafts.replace(newDrafts)
    isLoaded = true
    publish()
    return isOutdated
  }
  const { refresh, reading, stop } = createRefresher(readAgain, (error) => source.fail(error))

  function apply(change: StoreChange): void {
    if (change.type === 'notice') {
      if (change.name === 'workerRestarted') void refresh()
    } else if (change.type === 'collection' || change.key !== key) return
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
    void refresh()
    return () => {
      stop()
      drafts.close()
      unsubscribe()
      onEnd()
    }
  })

  async function loadEarlier(count = 100): Promise<void> {
    await query.ready()
    await reading()
    const extend = await log.lengthen(count)
    // When it changed meanwhile, all of it is read again.
    if (reading() !== undefined || !extend()) return refresh()
    publish()
  }

  return { ...query, loadEarlier }
}
