import type { ImportedSession } from '../../src/types.ts'
import { h } from '../ui/dom.ts'
import { counted, shortened } from '../ui/format.ts'
import { sessionHint } from './import-lists.ts'

/** With fewer conversations there is nothing to look for. */
const filteredFrom = 10

export interface ImportChoices {
  readonly element: HTMLElement
  /** The keys of those that are to come in. */
  chosen(): readonly string[]
}

/**
 * Has the user choose which conversations of the files come in; at first it is all of them.
 *
 * @param onChange - called at once, and whenever others are chosen
 */
export function createImportChoices(
  sessions: readonly ImportedSession[],
  onChange: (chosen: readonly string[]) => void,
): ImportChoices {
  const rows = sessions.map(choiceRow)
  const state = h('span', { class: 'import-hint', role: 'status' })
  const filter = h('input', {
    type: 'search',
    class: 'search-field import-filter',
    'data-testid': 'import-filter',
    placeholder: 'Filter by title',
    'aria-label': 'Filter by title',
    hidden: sessions.length < filteredFrom,
    oninput: () => (narrow(), changed()),
  })
  const element = h(
    'fieldset',
    { class: 'import-choices', onchange: () => changed() },
    h('legend', { class: 'visually-hidden' }, 'Conversations to import'),
    h('div', { class: 'import-choices-tools' }, allButton('All', true), allButton('None', false), filter, state),
    h('ul', { class: 'import-choices-list' }, ...rows.map(({ item }) => item)),
  )

  /** Of what the filter shows: the rest stays as it is. */
  function allButton(name: string, isChosen: boolean): HTMLElement {
    return h(
      'button',
      {
        type: 'button',
        class: 'text-button',
        'data-testid': `import-${name.toLowerCase()}`,
        onclick: () => {
          for (const { item, box } of rows) if (!item.hidden) box.checked = isChosen
          changed()
        },
      },
      name,
    )
  }

  function narrow(): void {
    const wanted = filter.value.trim().toLowerCase()
    for (const { item, name } of rows) item.hidden = !name.toLowerCase().includes(wanted)
  }

  function changed(): void {
    const shown = rows.filter(({ item }) => !item.hidden).length
    const keys = chosen()
    const count = `${keys.length} of ${counted(rows.length, 'conversation')} selected`
    state.textContent = shown === rows.length ? count : `${shown} shown, ${count}`
    onChange(keys)
  }

  const chosen = (): readonly string[] => rows.flatMap(({ box, key }) => (box.checked ? key : []))

  changed()
  return { element, chosen }
}

function choiceRow(session: ImportedSession) {
  const name = session.title || 'Untitled'
  const box = h('input', { type: 'checkbox', checked: true })
  const item = h(
    'li',
    { 'data-testid': 'import-session' },
    h(
      'label',
      {},
      box,
      h('span', { class: 'import-title', dir: 'auto' }, shortened(name, 120)),
      h('span', { class: 'import-hint' }, sessionHint(session)),
    ),
  )
  return { key: session.key, name, box, item }
}
