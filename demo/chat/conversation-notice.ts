import type { TranscriptSnapshot } from '../../src/index.ts'
import { h } from '../ui/dom.ts'
import { counted } from '../ui/format.ts'
import { icon } from '../ui/icons.ts'
import type { Replies } from './replies.ts'

export interface ConversationNotice {
  readonly element: HTMLElement
  /** Says what is to be said of a conversation, if anything. */
  show(snapshot: TranscriptSnapshot, key: string): void
  /** Says what went wrong, with a way on. */
  problem(text: string, action: string, run: () => void): void
  clear(): void
}

/** What stands below the messages of a conversation: that it was deleted, that a reply failed, what can't be read. */
export function createConversationNotice(replies: Replies, onRestore: (key: string) => void): ConversationNotice {
  const element = h('div', { class: 'conversation-notice' })

  function problem(text: string, action: string, run: () => void): void {
    element.replaceChildren(
      h(
        'div',
        { class: 'problem', role: 'alert', 'data-testid': 'problem' },
        icon('alert'),
        h('p', {}, text),
        h('button', { type: 'button', class: 'button', onclick: run }, action),
      ),
    )
  }

  function show({ meta, skipped, entries }: TranscriptSnapshot, key: string): void {
    const failure = replies.failure(key)
    element.replaceChildren()
    if (meta?.deletedAt !== undefined) problem('This conversation was deleted.', 'Restore', () => onRestore(key))
    else if (failure !== undefined) {
      const last = entries.at(-1)
      // What there is of the reply becomes whole in its place.
      if (last?.message?.['interrupted'] === true) problem(failure, 'Continue', () => replies.resume(key, last))
      else problem(failure, 'Try again', () => replies.start(key))
    }
    if (skipped > 0)
      element.append(
        h(
          'p',
          { class: 'note' },
          `${counted(skipped, 'record')} could not be read and ${skipped === 1 ? 'is' : 'are'} not shown.`,
        ),
      )
  }

  return { element, show, problem, clear: () => element.replaceChildren() }
}
