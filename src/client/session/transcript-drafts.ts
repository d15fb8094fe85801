import type { DraftChange, DraftView } from '../../contract/change.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { growDraft } from '../../domain/join-parts.ts'
import { locksHere } from '../worker/page-lock.ts'

/**
 * Without Web Locks nothing reports that the tab of a draft has died. There the drafts are listed this often, which
 * turns those that were silent for too long into entries.
 */
const silenceMs = 3000

/** The drafts of a transcript. */
export interface TranscriptDrafts {
  list(): readonly DraftView[]
  /** Keeps the changes that arrive from now on, until `replace`. */
  startReading(): void
  /** Takes a list that was read, and applies the kept changes. @returns whether a change was missed */
  replace(read: readonly DraftView[]): boolean
  /** Whether a change ends a reply that is resumed in place of its entry. */
  endsResumed(change: DraftChange): boolean
  /** @returns whether no change before this one was missed */
  apply(change: DraftChange): boolean
  keep(change: DraftChange): void
  /** Notices abandoned drafts where there are no Web Locks. */
  watchSilence(): void
  close(): void
}

export function createTranscriptDrafts(store: SessionStore, key: string): TranscriptDrafts {
  let drafts: readonly DraftView[] = []
  /** Changes that arrived while reading: the list that is being read may lack them. */
  let kept: DraftChange[] = []
  /** Another tab may have ended a draft of a tab that died before its beginning is heard. */
  const ended = new Set<string>()
  let isClosed = false
  let silence: ReturnType<typeof setTimeout> | undefined

  function apply(change: DraftChange): boolean {
    const { draft: id, view, added } = change
    const known = drafts.find((draft) => draft.id === id)
    if (isEnd(change)) ended.add(id)
    if (ended.has(id)) drafts = drafts.filter((draft) => draft !== known)
    else if (view !== undefined) drafts = known === undefined ? [...drafts, view] : drafts
    else if (added !== undefined) {
      if (known === undefined || added.n > known.next) return false
      if (added.n === known.next) drafts = drafts.map((draft) => (draft === known ? growDraft(known, added) : draft))
    }
    return true
  }

  function watchSilence(): void {
    clearTimeout(silence)
    if (drafts.length > 0 && !isClosed && locksHere() === undefined)
      silence = setTimeout(() => store.listDrafts(key).then(watchSilence, watchSilence), silenceMs)
  }

  return {
    list: () => drafts,
    startReading: () => {
      kept = []
    },
    replace: (read) => {
      drafts = read
      const unknown = new Set<string>()
      for (const change of kept) {
        if (isEnd(change)) unknown.delete(change.draft)
        if (!apply(change)) unknown.add(change.draft)
      }
      return unknown.size > 0
    },
    endsResumed: (change) =>
      isEnd(change) && drafts.some(({ id, resumes }) => id === change.draft && resumes !== undefined),
    apply,
    keep: (change) => kept.push(change),
    watchSilence,
    close: () => {
      isClosed = true
      clearTimeout(silence)
    },
  }
}

const isEnd = ({ view, added }: DraftChange): boolean => view === undefined && added === undefined
