import type { EntryView } from '../../src/index.ts'
import type { PeerDraft, PeerState } from '../../src/sync.ts'
import { createDraftView, type DraftView } from '../chat/draft-view.ts'
import { messageText } from '../chat/message-parts.ts'
import { h } from '../ui/dom.ts'
import { peerName } from './presence-words.ts'

/** How long a reply that is not written any more waits for its entry, which comes another way. */
const patienceMs = 10_000

/** Replies that other devices stream into the open conversation. */
export interface PeerDrafts {
  readonly element: HTMLElement
  /** Shows how far they are. @returns whether one came, or is over */
  show(peers: readonly PeerState[]): boolean
  /** Those whose entries are among these make way for them. @returns whether one did */
  settle(entries: readonly EntryView[]): boolean
  isEmpty(): boolean
  /** Another conversation is opened. */
  clear(): void
}

interface Shown {
  draft: PeerDraft
  readonly view: DraftView
  /** The entries that were there before it. `undefined` until there is a list of them. */
  known: ReadonlySet<string> | undefined
  /** Since it is not written any more. */
  waiting: ReturnType<typeof setTimeout> | undefined
}

/**
 * Each is shown until its entry is there, so that nothing flickers between the two.
 *
 * @param onGivenUp - one was taken away whose entry did not come
 */
export function createPeerDrafts(onGivenUp: () => void): PeerDrafts {
  const element = h('div', { class: 'peer-drafts' })
  const all = new Map<string, Shown>()
  /** Whose entries came before their devices said that they are over. */
  const settled = new Set<string>()
  /** Entries that were drafts. */
  const claimed = new Set<string>()
  let entriesNow: ReadonlySet<string> | undefined

  function begin(peer: PeerState, draft: PeerDraft): Shown {
    const view = createDraftView(draft.role, peerName(peer) ?? 'another device')
    const shown: Shown = { draft, view, known: entriesNow, waiting: undefined }
    all.set(draft.id, shown)
    element.append(view.element)
    return shown
  }

  function end(id: string, { view, waiting }: Shown): void {
    clearTimeout(waiting)
    view.element.remove()
    all.delete(id)
  }

  return {
    element,
    show(peers) {
      const written = new Set<string>()
      let isOther = false
      for (const peer of peers) {
        const { draft } = peer
        if (draft === undefined) continue
        written.add(draft.id)
        if (settled.has(draft.id)) continue
        isOther ||= !all.has(draft.id)
        const shown = all.get(draft.id) ?? begin(peer, draft)
        clearTimeout(shown.waiting)
        shown.waiting = undefined
        shown.draft = draft
        shown.view.show(`${draft.from > 0 ? '… ' : ''}${draft.text}`, '')
      }
      for (const id of settled) if (!written.has(id)) settled.delete(id)
      for (const [id, shown] of all) {
        if (written.has(id) || shown.waiting !== undefined) continue
        isOther = true
        // Of nothing there may be no entry.
        if (shown.draft.text === '') end(id, shown)
        else shown.waiting = setTimeout(() => (end(id, shown), onGivenUp()), patienceMs)
      }
      return isOther
    },
    settle(entries) {
      entriesNow = new Set(entries.map(versionOf))
      let isOne = false
      for (const [id, shown] of all) {
        // What was written when the conversation was opened may have been the last of what was read.
        shown.known ??= new Set(entries.slice(0, -1).map(versionOf))
        const { known } = shown
        const its = entries.find(
          (entry) => !known.has(versionOf(entry)) && !claimed.has(versionOf(entry)) && isEntryOf(entry, shown),
        )
        if (its === undefined) continue
        claimed.add(versionOf(its))
        if (shown.waiting === undefined) settled.add(id)
        end(id, shown)
        isOne = true
      }
      return isOne
    },
    isEmpty: () => all.size === 0,
    clear() {
      for (const [id, shown] of all) end(id, shown)
      settled.clear()
      claimed.clear()
      entriesNow = undefined
    },
  }
}

const versionOf = ({ id, edit }: EntryView): string => `${id} ${edit ?? ''}`

/**
 * A draft and its entry have nothing in common but what they say. Of one that is over, the next entry is taken for its.
 */
function isEntryOf({ message }: EntryView, { draft: { role, from, text }, waiting }: Shown): boolean {
  if (message?.role !== role) return false
  return waiting !== undefined || (text !== '' && messageText(message).startsWith(text, from))
}
