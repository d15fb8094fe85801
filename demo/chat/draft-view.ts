import { h } from '../ui/dom.ts'
import { icon } from '../ui/icons.ts'

export interface DraftView {
  readonly element: HTMLElement
  /** Shows what has been written so far. */
  show(text: string, reasoning: string): void
}

/**
 * A reply while it grows: plain text, because parsing Markdown anew for every word would cost more with every word.
 *
 * @param device - where it is written, when that is not here
 */
export function createDraftView(role: string, device?: string): DraftView {
  const thought = h('p', { class: 'draft-thought', hidden: true }, icon('thought'), h('span', { dir: 'auto' }))
  const written = document.createTextNode('')
  const text = h('div', { class: 'plain-text draft-text', dir: 'auto' }, written)
  const place =
    device === undefined ? undefined : h('p', { class: 'draft-place' }, icon('devices'), `Being written on ${device}`)
  const element = h(
    'article',
    {
      class: 'message',
      'data-testid': 'message',
      'data-role': role,
      'data-look': role,
      'data-draft': true,
      'aria-busy': 'true',
      'aria-label': device === undefined ? 'Reply in progress' : `Reply in progress on ${device}`,
    },
    thought,
    text,
    place,
  )

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
