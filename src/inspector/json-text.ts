import { countOf } from './describe-values.ts'
import { button, h } from './make-element.ts'

/** Characters that are put on the page: a browser lays out a text of megabytes for seconds. */
const mostShown = 20_000

/** A value as JSON, which can be copied whole and is shown as far as a page can take it. */
export function jsonText(value: unknown, name: string): HTMLElement {
  const text = JSON.stringify(value, null, 2) ?? String(value)
  return longText(text, name, true)
}

/** A text, shown as far as a page can take it. */
export function longText(text: string, name: string, isCode = false): HTMLElement {
  const copy = button(`Copy ${name}`, () => {
    navigator.clipboard
      .writeText(text)
      .then(
        () => 'Copied',
        () => 'The browser does not let this page copy',
      )
      .then((said) => (copy.textContent = said))
  })
  return h(
    'div',
    { class: 'long' },
    h(
      'pre',
      {
        dir: isCode ? 'ltr' : 'auto',
        class: isCode ? 'code' : 'prose',
        tabindex: 0,
        role: 'region',
        'aria-label': name,
      },
      text.slice(0, mostShown),
    ),
    text.length > mostShown &&
      h('p', { class: 'hint' }, `The first ${countOf(mostShown)} of ${countOf(text.length)} characters.`),
    copy,
  )
}
