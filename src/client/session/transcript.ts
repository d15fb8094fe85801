import type { DraftChange, DraftView, SessionChange } from '../../contract/change.ts'
import type { EntryView } from '../../contract/entry.ts'
import type { SessionMeta } from '../../contract/meta.ts'
import type { EntryPage } from '../../contract/store/session-log.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { growDraft } from '../../domain/join-parts.ts'
import type { Transcript, TranscriptSnapshot } from '../session-contract.ts'
import { locksHere } from '../worker/page-lock.ts'
import type { ChangeFeed } from './change-feed.ts'
import { createLiveQuery, type LiveSource } from './live-query.ts'
import { createDraftShower } from './show-drafts.ts'

const pageSize = 512
/**
 * Where there are no Web Locks, nobody hears of it when the tab of a draft has died: then the drafts are listed so
 * often, which makes entries of those that were silent for too long.
 */
const silenceMs = 3000

/** Follows the newest part of a transcript. */
export function createTranscript(
  store: SessionStore,
  feed: ChangeFeed,
  key: string,
  last: number,
  onEnd: () => void,
): Transcript {
  let entries: readonly EntryView[] = []
  let drafts: readonly DraftView[] = []
  let meta: SessionMeta | undefined
  let more = false
  let skipped = 0
  /** Entries to show at least. */
  let size = last
  /** The line that the entries are of. */
  let branch = ''
  /** Version that the entries show. */
  let version = 0
  let reading: Promise<void> | undefined
  /** Something happened that the reading under way may have missed. */
  let isStale = false
  /** Draft changes heard while reading, which the list that is being read may lack. */
  let heard: DraftChange[] = []
  let isEnded = false
  let source: LiveSource<TranscriptSnapshot>
  let isPublishing = false
  let silence: ReturnType<typeof setTimeout> | undefined
  let isLoaded = false
  const showDrafts = createDraftShower()

  function awaitDrafts(): void {
    clearTimeout(silence)
    if (drafts.length > 0 && !isEnded && locksHere() === undefined)
      silence = setTimeout(() => store.listDrafts(key).then(awaitDrafts, awaitDrafts), silenceMs)
  }

  /** All changes of a task become one snapshot. */
  function publish(): void {
    awaitDrafts()
    if (isPublishing) return
    isPublishing = true
    queueMicrotask(() => {
      isPublishing = false
      if (isLoaded) source.publish(Object.freeze({ ...showDrafts(entries, drafts), more, meta, skipped }))
    })
  }

  function refresh(): Promise<void> {
    isStale = reading !== undefined
    reading ??= readAgain()
      .catch((error: unknown) => source.fail(error))
      .finally(() => {
        reading = undefined
        if (isStale && !isEnded) void refresh()
      })
    return reading
  }

  async function readAgain(): Promise<void> {
    heard = []
    const [page, newMeta, newDrafts] = await Promise.all([readNewest(), store.getMeta(key), store.listDrafts(key)])
    const known = new Map(entries.map((entry) => [entry.id, entry]))
    // An entry never changes but by an edit: those that are the same keep their identity, so that views of them need no
    // update.
    entries = page.entries.map((entry) => {
      const old = known.get(entry.id)
      return old !== undefined && old.edit === entry.edit && old.order === entry.order ? old : entry
    })
    more = page.more
    skipped = page.skipped
    branch = page.branch
    version = page.version
    meta = newMeta
    drafts = newDrafts
    const unknown = new Set<string>()
    for (const change of heard) {
      if (change.view === undefined && change.added === undefined) unknown.delete(change.draft)
      if (!applyDraft(change)) unknown.add(change.draft)
    }
    isStale ||= unknown.size > 0
    isLoaded = true
    publish()
  }

  const readNewest = async (): Promise<EntryPage> =>
    lengthen(await store.read(key, { last: Math.min(size, pageSize) }), size)

  /** Adds what comes before a page, until it has so many entries. */
  async function lengthen(page: EntryPage, length: number): Promise<EntryPage> {
    const [first] = page.entries
    if (!page.more || first === undefined || page.entries.length >= length) return page
    const earlier = await store.read(key, {
      branch: page.branch,
      before: first.order,
      limit: Math.min(length - page.entries.length, pageSize),
    })
    // What happened between the two is told after the older version.
    const version = Math.min(page.version, earlier.version)
    return lengthen(
      { ...earlier, entries: [...earlier.entries, ...page.entries], skipped: page.skipped + earlier.skipped, version },
      length,
    )
  }

  /** @returns whether nothing was missed before it */
  function applyDraft({ draft: id, view, added }: DraftChange): boolean {
    const known = drafts.find((draft) => draft.id === id)
    if (view !== undefined) drafts = known === undefined ? [...drafts, view] : drafts
    else if (added === undefined) drafts = drafts.filter((draft) => draft !== known)
    else if (known === undefined || added.n > known.next) return false
    else if (added.n === known.next) drafts = drafts.map((draft) => (draft === known ? growDraft(known, added) : draft))
    return true
  }

  function hearDraft(change: DraftChange): void {
    if (reading !== undefined) heard.push(change)
    const isOver = change.view === undefined && change.added === undefined
    // The entry it makes whole is read again; until then it shows what the draft had.
    if (isOver && drafts.some(({ id, resumes }) => id === change.draft && resumes !== undefined)) return void refresh()
    if (applyDraft(change)) publish()
    else if (reading === undefined) void refresh()
  }

  function applyChange(change: SessionChange): void {
    if (change.version <= version && change.listing !== undefined) return
    const { entries: added, listing } = change
    const isNext = change.version === version + 1 && !change.reload && added !== undefined && listing !== undefined
    if (!isNext || reading !== undefined || meta === undefined) return void refresh()
    version = change.version
    entries = added.reduce(insert, entries)
    size = Math.max(size, entries.length)
    meta = { ...meta, ...listing }
    publish()
  }

  /** Puts an entry where it reads. One from before the part that is loaded stays out of it. */
  function insert(all: readonly EntryView[], entry: EntryView): readonly EntryView[] {
    let at = all.length
    while (at > 0 && (all[at - 1] as EntryView).order > entry.order) at--
    if (all[at - 1]?.id === entry.id || (at === 0 && more)) return all
    return [...all.slice(0, at), entry, ...all.slice(at)]
  }

  const query = createLiveQuery<TranscriptSnapshot>(feed.ending, (given) => {
    source = given
    const stop = feed.subscribe((change) => {
      if (change.type === 'notice') {
        if (change.name === 'workerRestarted') void refresh()
      } else if (change.key === key) {
        if (change.type === 'session') return applyChange(change)
        hearDraft(change)
      }
    })
    void refresh()
    return () => {
      isEnded = true
      clearTimeout(silence)
      stop()
      onEnd()
    }
  })

  return {
    ...query,
    loadEarlier: async (count = 100) => {
      await query.ready()
      await reading
      size = entries.length + count
      const shown = { entries, more, skipped, branch, version }
      const page = await lengthen(shown, size)
      // It changed meanwhile: all of it is read anew.
      if (reading !== undefined || version !== shown.version) return refresh()
      entries = page.entries
      more = page.more
      skipped = page.skipped
      publish()
    },
  }
}
