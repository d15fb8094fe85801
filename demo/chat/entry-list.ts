import type { TranscriptSnapshot } from '../../src/index.ts'
import { h, placeChildren } from '../ui/dom.ts'
import { createDraftView, type DraftView } from './draft-view.ts'
import { entryView } from './entry-view.ts'
import { forkSwitcher } from './fork-switcher.ts'
import { findForks } from './forks.ts'
import type { LineActions } from './line-actions.ts'
import type { Reply } from './replies.ts'
import type { SummaryNote } from './summary-note.ts'

/** The newest part of a transcript, or with `later` one that it goes on from. */
type ShownPart = TranscriptSnapshot & { readonly later?: boolean }

export interface EntryList {
  readonly element: HTMLElement
  /** Shows a transcript, and the reply that this tab is writing into it. */
  show(snapshot: ShownPart, reply: Reply | undefined): void
  /** Shows how far this tab's reply has come: between snapshots, because those are journalled at a slower rate. */
  showReply(reply: Reply): void
  /** The element of an entry, while that is shown. */
  find(id: string): HTMLElement | undefined
}

/**
 * The entries of a conversation as elements. An entry never changes, so its element is made once, and again only after
 * an edit.
 */
export function createEntryList(actions: LineActions, summaryNote: SummaryNote): EntryList {
  const element = h('div', { class: 'entries' })
  const views = new Map<string, HTMLElement>()
  const drafts = new Map<string, DraftView>()
  /** Replies of this tab that have been in a snapshot: one that is not there any more has become an entry. */
  const journalled = new Set<string>()
  let switchers: readonly HTMLElement[] = []

  function show(snapshot: ShownPart, reply: Reply | undefined): void {
    const focused = document.activeElement?.closest<HTMLElement>('.fork-switcher')?.dataset['fork']
    for (const switcher of switchers) switcher.remove()
    const shown = snapshot.entries.map((entry) => {
      const id = `${entry.id} ${entry.edit ?? ''}`
      const view = views.get(id) ?? entryView(entry, actions)
      views.set(id, view)
      return view
    })
    const note = summaryNote(snapshot)
    const withNote = note === undefined ? shown : shown.toSpliced(note.index, 0, note.element)
    placeChildren(element, [...withNote, ...draftViews(snapshot, reply)])
    for (const [id, view] of views) if (!view.isConnected) views.delete(id)
    switchers = placeSwitchers(snapshot, shown)
    if (focused !== undefined) focusSwitcher(focused)
  }

  function draftViews(snapshot: TranscriptSnapshot, reply: Reply | undefined): readonly HTMLElement[] {
    const growing = new Map(snapshot.drafts.map((draft) => [draft.id, draft]))
    for (const id of growing.keys()) journalled.add(id)
    const own = reply && (reply.draft ?? 'starting')
    // A snapshot may show it before this tab learns its id.
    const isExpected =
      reply?.draft === undefined ? growing.size === 0 : !growing.has(reply.draft) && !journalled.has(reply.draft)
    if (own !== undefined && isExpected)
      growing.set(own, { id: own, role: 'assistant', text: '', reasoning: '', parts: [] })
    for (const id of drafts.keys()) if (!growing.has(id)) drafts.delete(id)
    return [...growing.values()].map(({ id, role, text, reasoning }) => {
      const view = drafts.get(id) ?? createDraftView(role)
      drafts.set(id, view)
      if (id === own && reply !== undefined) view.show(reply.text, reply.reasoning)
      else view.show(text, reasoning)
      return view.element
    })
  }

  /** Puts each fork's control below the first message after it, or at the end when there is none yet. */
  function placeSwitchers(
    { entries, meta, more, later = false }: ShownPart,
    shown: readonly HTMLElement[],
  ): readonly HTMLElement[] {
    if (meta === undefined || meta.deletedAt !== undefined || meta.branches.length < 2) return []
    const forks = findForks(entries, meta.branches, meta.head, more)
    return forks
      .filter(({ entry }) => entry !== undefined || !later)
      .map((fork) => {
        const switcher = forkSwitcher(fork, (branch) => actions.switchAt(fork, branch))
        const from = fork.entry === undefined ? shown.length : entries.indexOf(fork.entry)
        const row = shown
          .slice(from)
          .map((view) => view.querySelector('.message-actions'))
          .find((found) => found !== null)
        if (row) row.prepend(switcher)
        else element.append(switcher)
        return switcher
      })
  }

  function focusSwitcher(fork: string): void {
    const switcher = switchers.find(({ dataset }) => dataset['fork'] === fork)
    switcher?.querySelector<HTMLButtonElement>('button:not(:disabled)')?.focus()
  }

  return {
    element,
    show,
    find: (id) =>
      [...element.children].find(
        (view): view is HTMLElement => view instanceof HTMLElement && view.dataset['entry'] === id,
      ),
    showReply: (reply) => drafts.get(reply.draft ?? 'starting')?.show(reply.text, reply.reasoning),
  }
}
