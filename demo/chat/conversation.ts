import type { Session, Transcript, TranscriptSnapshot } from '../../src/index.ts'
import { h } from '../ui/dom.ts'
import { counted, shortened } from '../ui/format.ts'
import { icon } from '../ui/icons.ts'
import { iconButton } from '../ui/icon-button.ts'
import { messageOf, type Toasts } from '../ui/toasts.ts'
import { createEntryList, type EntryList } from './entry-list.ts'
import { createLineActions } from './line-actions.ts'
import { messageText } from './message-parts.ts'
import type { Replies } from './replies.ts'
import { createScrollKeeper } from './scroll-keeper.ts'
import { createSummaryNote } from './summary-note.ts'

const firstPage = 60
const nextPage = 100

export interface ConversationOptions {
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
  toEnd(): void
}

interface Shown {
  readonly session: Session
  readonly transcript: Transcript
  readonly list: EntryList
}

/** One conversation, live: entries as they are stored, replies as they are written, from any tab. */
export function createConversation({ replies, toasts, welcome, onSnapshot, onRestore }: ConversationOptions): Conversation {
  const earlier = h('button', { type: 'button', class: 'text-button earlier', hidden: true, onclick: () => void loadEarlier() }, 'Load earlier messages')
  const notice = h('div', { class: 'conversation-notice' })
  const content = h('div', { class: 'conversation-content' }, earlier, welcome)
  const latest = iconButton('down', 'Go to the newest message', { class: 'icon-button to-end', hidden: true, onclick: () => keeper.toEnd() })
  const spoken = h('p', { class: 'visually-hidden', role: 'status' })
  const scroller = h('section', { class: 'conversation-scroller', 'aria-label': 'Conversation', tabindex: -1 }, content)
  const element = h('div', { class: 'conversation' }, scroller, latest, spoken)
  const keeper = createScrollKeeper(scroller, content, (following) => (latest.hidden = following))
  let shown: Shown | undefined
  let loading = false
  let painting = 0

  const reachedTop = new IntersectionObserver((seen) => {
    if (seen.some((entry) => entry.isIntersecting)) void loadEarlier()
  }, { root: scroller, rootMargin: '600px 0px 0px' })

  function show(session: Session): void {
    shown?.transcript[Symbol.dispose]()
    shown?.list.element.remove()
    notice.replaceChildren()
    const transcript = session.transcript({ last: firstPage })
    const list = createEntryList(createLineActions(session, transcript, replies, toasts), createSummaryNote(session, render))
    shown = { session, transcript, list }
    content.append(list.element, notice)
    welcome.hidden = true
    earlier.hidden = true
    transcript.subscribe(render)
    transcript.ready().then(render, (error: unknown) => shown?.session === session && showProblem(`This conversation could not be read: ${messageOf(error)}`, 'Try again', () => show(session)))
    keeper.toEnd()
  }

  function render(): void {
    const snapshot = shown?.transcript.getSnapshot()
    if (shown === undefined || snapshot === undefined) return
    const { list, session } = shown
    const reply = replies.running(session.key)
    keeper.keep(list.element, () => {
      list.show(snapshot, reply)
      earlier.hidden = !snapshot.more
      welcome.hidden = snapshot.entries.length > 0 || snapshot.drafts.length > 0 || reply !== undefined || snapshot.meta?.deletedAt !== undefined
      showNotices(snapshot, session.key)
    })
    watchTop()
    onSnapshot(snapshot)
  }

  function showNotices(snapshot: TranscriptSnapshot, key: string): void {
    const failure = replies.failure(key)
    notice.replaceChildren()
    if (snapshot.meta?.deletedAt !== undefined) showProblem('This conversation was deleted.', 'Bring it back', () => onRestore(key))
    else if (failure !== undefined) showProblem(failure, 'Try again', () => replies.start(key))
    if (snapshot.skipped > 0) notice.append(h('p', { class: 'note' }, `${counted(snapshot.skipped, 'record')} could not be read and ${snapshot.skipped === 1 ? 'is' : 'are'} left out.`))
  }

  function showProblem(text: string, action: string, run: () => void): void {
    notice.replaceChildren(
      h('div', { class: 'problem', role: 'alert', 'data-testid': 'problem' }, icon('alert'), h('p', {}, text), h('button', { type: 'button', class: 'button', onclick: run }, action)),
    )
  }

  /** Watches anew: the observer only tells of changes, and after a short page the top may still be in view. */
  function watchTop(): void {
    reachedTop.unobserve(earlier)
    if (!earlier.hidden) reachedTop.observe(earlier)
  }

  async function loadEarlier(): Promise<void> {
    if (loading || shown === undefined) return
    loading = true
    try {
      await shown.transcript.loadEarlier(nextPage)
    } catch (error) {
      toasts.fail('Earlier messages could not be read', error)
    } finally {
      loading = false
    }
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
    if (last?.role === 'assistant') spoken.textContent = `Reply: ${shortened(messageText(last), 300)}`
  }

  return { element, show, toEnd: () => keeper.toEnd() }
}
