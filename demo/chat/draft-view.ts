import { h } from '../ui/dom.ts'
import { icon } from '../ui/icons.ts'

export interface DraftView {
  readonly element: HTMLElement
  /** Shows what has been written so far. */
  show(text: string, reasoning: string): void
}

/** A reply while it grows: plain text, because parsing Markdown anew for every word would cost more with every word. */
export function createDraftView(role: string): DraftView {
  const thought = h('p', { class: 'draft-thought', hidden: true }, icon('thought'), h('span'))
  const written = document.createTextNode('')
  const text = h('div', { class: 'plain-text draft-text' }, written)
  const element = h('article', { class: 'message', 'data-testid': 'message', 'data-role': role, 'data-look': role, 'data-draft': true, 'aria-busy': 'true', 'aria-label': 'Reply being written' }, thought, text)

  return {
    element,
    show(newText, reasoning) {
      if (newText.startsWith(written.data)) written.appendData(newText.slice(written.length))
      else written.data = newText
      thought.hidden = reasoning === '' || newText !== ''
      const tail = thought.lastElementChild
      if (tail !== null && !thought.hidden) tail.textContent = reasoning.slice(-240)
      element.dataset['empty'] = String(newText === '' && reasoning === '')
    },
  }
}
