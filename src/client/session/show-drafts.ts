import type { DraftView } from '../../contract/change.ts'
import type { EntryView } from '../../contract/entry.ts'
import { replyMessage } from '../../domain/reply-message.ts'

/** What a transcript shows of its entries and drafts. */
interface Shown {
  readonly entries: readonly EntryView[]
  /** Ids of the entries that are being resumed. */
  readonly resuming: readonly string[]
  readonly drafts: readonly DraftView[]
}

/**
 * Creates a function that shows a resumed reply only once: its entry grows. If the entry is not among those shown, the
 * draft stays separate. While it grows it is not marked `interrupted`, because somebody is streaming it. An entry keeps
 * its identity as long as its draft does not grow.
 */
export function createDraftShower(): (entries: readonly EntryView[], drafts: readonly DraftView[]) => Shown {
  const grown = new WeakMap<DraftView, { readonly from: EntryView; readonly entry: EntryView }>()

  function grow(from: EntryView, draft: DraftView): EntryView {
    const known = grown.get(draft)
    if (known?.from === from) return known.entry
    const entry = { ...from, message: replyMessage(draft.role, draft.parts, 'complete', from.message) }
    grown.set(draft, { from, entry })
    return entry
  }

  return (entries, drafts) => {
    const resumed = new Map<EntryView, DraftView>()
    for (const draft of drafts) {
      const entry =
        draft.resumes &&
        entries.find(({ branch, order }) => branch === draft.resumes!.branch && order === draft.resumes!.order)
      if (entry !== undefined) resumed.set(entry, draft)
    }
    if (resumed.size === 0) return { entries, resuming: [], drafts }
    const inPlace = new Set(resumed.values())
    return {
      entries: entries.map((entry) => {
        const draft = resumed.get(entry)
        return draft === undefined ? entry : grow(entry, draft)
      }),
      resuming: [...resumed.keys()].map(({ id }) => id),
      drafts: drafts.filter((draft) => !inPlace.has(draft)),
    }
  }
}
