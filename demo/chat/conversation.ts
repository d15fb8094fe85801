import type { Session, SessionMeta, Transcript, TranscriptSnapshot } from '../../src/index.ts'
import type { PeerState } from '../../src/sync.ts'
import type { BlobReader } from '../attachments/attached-file.ts'
import { createPeerDrafts } from '../presence/peer-drafts.ts'
import { h } from '../ui/dom.ts'
import { shortened } from '../ui/format.ts'
import { iconButton } from '../ui/icon-button.ts'
import { markdownText } from '../ui/markdown.ts'
import { messageOf, type Toasts } from '../ui/toasts.ts'
import { createConversationNotice } from './conversation-notice.ts'
import { createEntryList, type EntryList } from './entry-list.ts'
import { createLineActions } from './line-actions.ts'
import { markFound } from './mark-found.ts'
import { messageText } from './message-parts.ts'
import { createPageEnds } from './page-ends.ts'
import { openPassage, type Passage } from './passage.ts'
import type { Replies } from './replies.ts'
import { createScrollKeeper } from './scroll-keeper.ts'
import { createSummaryNote } from './summary-note.ts'

const firstPage = 60
const nextPage = 100
/** An entry that is closer to the end than this is gone to by loading all that follows it. */
const nearEnd = 300

export interface ConversationOptions {
  readonly blobs: BlobReader
  readonly replies: Replies
  readonly toasts: Toasts
  /** Shown in place of entries while there are none. */
  readonly welcome: HTMLElement
  readonly onSnapshot: (snapshot: TranscriptSnapshot) => void
  readonly onRestore: (key: string) => void
}

export interface Conversation {
  readonly element: HTMLElement
  /** Follows another session from now on. */
  show(session: Session): void
  /** Shows what the others stream into it. */
  showPeers(peers: readonly PeerState[]): void
  /** Goes to an entry: changes to a line that has it, loads what is around it, and marks it for a moment. */
  reveal(place: Place): Promise<void>
  toEnd(): void
}

/** Where an entry stands. */
export interface Place {
  /** A line that shows it. */
  readonly line: string
  readonly id: string
  readonly order: string
}

interface Shown {
  readonly session: Session
  readonly transcript: Transcript
  readonly list: EntryList
  /** A part further up, shown in the place of the newest one. */
  passage?: Passage
}

/** One conversation, live: entries as they are stored, replies as they are written, from any tab and any device. */
export function createConversation({
  blobs,
  replies,
  toasts,
  welcome,
  onSnapshot,
  onRestore,
}: ConversationOptions): Conversation {
  const content = h('div', { class: 'conversation-content' })
  const latest = iconButton('down', 'Go to the latest message', {
    class: 'icon-button to-end',
    hidden: true,
    onclick: () => toEnd(),
  })
  const spoken = h('p', { class: 'visually-hidden', role: 'status' })
  const scroller = h('section', { class: 'conversation-scroller', 'aria-label': 'Conversation', tabindex: -1 }, content)
  const element = h('div', { class: 'conversation' }, scroller, latest, spoken)
  const ends = createPageEnds(
    scroller,
    () => void loadEarlier(),
    () => void loadLater(),
  )
  const notice = createConversationNotice(replies, onRestore)
  content.append(ends.earlier, welcome)
  const peerDrafts = createPeerDrafts(render)
  const keeper = createScrollKeeper(scroller, content, (following) => (latest.hidden = following))
  let shown: Shown | undefined
  let loading = false
  let painting = 0

  function show(session: Session): void {
    shown?.transcript.close()
    shown?.list.element.remove()
    notice.clear()
    const transcript = session.transcript({ last: firstPage })
    const list = createEntryList(
      createLineActions(session, transcript, replies, toasts, blobs),
      createSummaryNote(session, render),
    )
    shown = { session, transcript, list }
    peerDrafts.clear()
    content.append(list.element, peerDrafts.element, ends.later, notice.element)
    welcome.hidden = true
    ends.show({ earlier: false, later: false })
    keeper.hold(false)
    transcript.subscribe(changed)
    transcript
      .ready()
      .then(
        render,
        (error: unknown) =>
          shown?.session === session &&
          notice.problem(`This conversation could not be read: ${messageOf(error)}`, 'Try again', () => show(session)),
      )
    keeper.toEnd()
  }

  let lastMeta: SessionMeta | undefined

  /** A passage is not live by itself: it is read again after each change that is more than a growing reply. */
  function changed(): void {
    const meta = shown?.transcript.getSnapshot()?.meta
    const { passage } = shown ?? {}
    if (passage !== undefined && meta !== lastMeta && meta?.head !== lastMeta?.head) leavePassage()
    else if (passage !== undefined && meta !== lastMeta)
      void passage.refresh().then(
        () => shown?.passage === passage && render(),
        () => undefined,
      )
    lastMeta = meta
    render()
  }

  function render(): void {
    const newest = shown?.transcript.getSnapshot()
    if (shown === undefined || newest === undefined) return
    const { list, session, passage } = shown
    const snapshot = passage?.snapshot(newest) ?? { ...newest, later: false }
    const reply = snapshot.later ? undefined : replies.running(session.key)
    const isLive = !snapshot.later && snapshot.meta?.deletedAt === undefined
    let isPeerDone = false
    keeper.keep(list.element, () => {
      list.show(snapshot, reply)
      isPeerDone = peerDrafts.settle(newest.entries)
      peerDrafts.element.hidden = !isLive
      ends.show({ earlier: snapshot.more, later: snapshot.later })
      welcome.hidden =
        snapshot.entries.length > 0 ||
        snapshot.drafts.length > 0 ||
        reply !== undefined ||
        !peerDrafts.isEmpty() ||
        snapshot.meta?.deletedAt !== undefined
      notice.show(snapshot, session.key)
    })
    ends.watch()
    onSnapshot(newest)
    if (isPeerDone && isLive) announce()
  }

  async function loadEarlier(): Promise<void> {
    if (loading || shown === undefined) return
    loading = true
    try {
      if (shown.passage === undefined) await shown.transcript.loadEarlier(nextPage)
      else await shown.passage.loadEarlier().then(render)
    } catch (error) {
      toasts.fail('Earlier messages could not be read', error)
    } finally {
      loading = false
    }
  }

  async function loadLater(): Promise<void> {
    if (loading || shown?.passage === undefined) return
    loading = true
    const { transcript, passage } = shown
    try {
      // From its end on it is the newest part of the conversation, and live.
      if (await passage.loadLater()) {
        await lengthen(transcript, passage.length())
        if (shown.passage === passage) leavePassage()
      }
      render()
    } catch (error) {
      toasts.fail('Later messages could not be read', error)
    } finally {
      loading = false
    }
  }

  function leavePassage(): void {
    if (shown?.passage === undefined) return
    delete shown.passage
    keeper.hold(false)
  }

  function toEnd(): void {
    leavePassage()
    render()
    keeper.toEnd()
  }

  async function reveal({ line, id, order }: Place): Promise<void> {
    const target = shown
    if (target === undefined) return
    const { session, transcript, list } = target
    await transcript.ready()
    if (transcript.getSnapshot()?.meta?.head !== line) {
      await session.branches.switchTo(line)
      for await (const { meta } of transcript) if (meta?.head === line) break
    }
    const isShown = (): boolean => list.find(id) !== undefined
    if (!isShown()) await loadAround(target, line, order)
    // Another conversation was opened meanwhile.
    if (shown !== target) return
    render()
    const view = list.find(id)
    if (view === undefined) throw new Error('The message is no longer on this branch.')
    keeper.hold(true)
    markFound(scroller, view)
    if (target.passage === undefined) keeper.hold(false)
  }

  async function loadAround(target: Shown, line: string, order: string): Promise<void> {
    const { session, transcript } = target
    const after = await session.page({ branch: line, after: order, limit: nearEnd })
    if (after.more) target.passage = await openPassage(session, { line, order })
    else await lengthen(transcript, after.entries.length + nextPage)
  }

  replies.subscribe((key) => {
    if (key !== shown?.session.key || painting !== 0) return
    painting = requestAnimationFrame(() => {
      painting = 0
      const reply = replies.running(key)
      if (reply?.draft !== undefined && reply.text !== '') shown?.list.showReply(reply)
      else render()
      if (reply === undefined) announce()
    })
  })

  /** Reads a reply out once, when it is done, rather than word by word. */
  function announce(): void {
    const last = shown?.transcript.getSnapshot()?.entries.at(-1)?.message
    if (last?.role === 'assistant') spoken.textContent = `Reply: ${shortened(markdownText(messageText(last)), 300)}`
  }

  function showPeers(peers: readonly PeerState[]): void {
    if (peerDrafts.show(peers)) render()
  }

  return { element, show, showPeers, reveal, toEnd }
}

/** Loads what a transcript lacks to have so many entries. */
async function lengthen(transcript: Transcript, length: number): Promise<void> {
  const missing = length - (transcript.getSnapshot()?.entries.length ?? 0)
  if (missing > 0) await transcript.loadEarlier(missing)
}
