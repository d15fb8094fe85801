import type { SearchHit, SessionClient, SessionListing } from '../../src/index.ts'
import { h } from '../ui/dom.ts'
import { counted } from '../ui/format.ts'
import { iconButton } from '../ui/icon-button.ts'
import { icon } from '../ui/icons.ts'
import { messageOf } from '../ui/toasts.ts'
import { createLiveSearch, type Found, hitsAtOnce } from './live-search.ts'
import { createSearchFilters } from './search-filters.ts'
import { hitRow, type SearchRow, sessionRow } from './search-row.ts'

const recentSessions = 8

export interface SearchDialogOptions {
  readonly client: SessionClient
  /** The session that is open, while it has messages. */
  readonly openKey: () => string | undefined
  readonly onHit: (hit: SearchHit) => void
  readonly onSession: (key: string) => void
}

export interface SearchDialog {
  readonly element: HTMLDialogElement
  open(): void
}

interface Choice {
  readonly row: SearchRow
  readonly choose: () => void
}

/** Finds conversations by title and messages by their words while the user types, and goes to the one that is chosen. */
export function createSearchDialog({ client, openKey, onHit, onSession }: SearchDialogOptions): SearchDialog {
  const field = h('input', {
    type: 'search',
    class: 'search-all-field',
    'data-testid': 'search-all-field',
    placeholder: 'Search conversations and messages',
    'aria-label': 'Search conversations and messages',
    role: 'combobox',
    'aria-expanded': 'true',
    'aria-controls': 'search-results',
    'aria-autocomplete': 'list',
    autocomplete: 'off',
    spellcheck: 'false',
    enterkeyhint: 'go',
    oninput: () => ask(),
    onkeydown: byKey,
  })
  const filters = createSearchFilters(client, () => ask())
  const list = h('ul', { class: 'search-results', id: 'search-results', role: 'listbox', 'aria-label': 'Results' })
  const more = h(
    'button',
    { type: 'button', class: 'text-button search-more', hidden: true, onclick: () => ask(limit + hitsAtOnce * 2) },
    'Show more',
  )
  const note = h('p', { class: 'search-note', role: 'status', 'data-testid': 'search-note' })
  const body = h('div', { class: 'search-body' }, list, more)
  const said = h('div', { class: 'search-said' }, note)
  const element: HTMLDialogElement = h(
    'dialog',
    {
      class: 'dialog panel search-dialog',
      'aria-label': 'Search',
      'data-testid': 'search-dialog',
      onclose: forget,
      onclick: closeOutside,
      onkeydown: closeByKey,
    },
    h('header', {}, icon('search'), field, iconButton('close', 'Close', { onclick: () => element.close() })),
    filters.element,
    body,
    h(
      'footer',
      {},
      said,
      h(
        'p',
        { class: 'search-keys', 'aria-hidden': 'true' },
        h('kbd', {}, '↑'),
        h('kbd', {}, '↓'),
        ' choose ',
        h('kbd', {}, '↵'),
        ' open',
      ),
    ),
  )
  const live = createLiveSearch({
    client,
    onFound: (found) => {
      const { sessions, hits, hasMore } = found
      answer([...sessions.map(choiceOf), ...hits.map((hit) => ({ row: hitRow(hit), choose: () => onHit(hit) }))])
      more.hidden = !hasMore
      note.textContent = wordsFor(found, field.value.trim())
    },
    onWait: (progress) =>
      (note.textContent =
        progress === undefined
          ? 'Searching…'
          : `Indexing: ${progress.indexed.toLocaleString()} of ${counted(progress.total, 'conversation')}…`),
    onError: (error) => {
      wantsBest = false
      note.textContent = `The search failed: ${messageOf(error)}`
    },
  })
  let choices: readonly Choice[] = []
  let selected = 0
  let limit = hitsAtOnce
  /** Whether what is listed answers what stands in the field. */
  let isAnswered = false
  /** Enter came before the answer. */
  let wantsBest = false
  let listsRecent = false
  let opened = 0

  function ask(most = hitsAtOnce): void {
    limit = most
    isAnswered = wantsBest = false
    live.ask(field.value, filters.read(), limit)
    if (field.value.trim() === '') void showRecent()
    else if (listsRecent) {
      show([])
      note.textContent = ''
    }
  }

  /** Before anything is typed: where the user was last. */
  async function showRecent(): Promise<void> {
    const turn = ++opened
    more.hidden = true
    const isAsked = (): boolean => turn === opened && field.value.trim() === ''
    try {
      const { sessions } = await client.listSessions({ limit: recentSessions })
      if (isAsked()) offer(sessions)
    } catch (error) {
      if (isAsked()) note.textContent = `The conversations could not be listed: ${messageOf(error)}`
    }
  }

  function offer(sessions: readonly SessionListing[]): void {
    answer(sessions.map(choiceOf))
    listsRecent = true
    note.textContent =
      sessions.length === 0
        ? 'There are no conversations yet.'
        : 'Recent conversations. Type to search titles and messages.'
  }

  const choiceOf = (session: SessionListing): Choice => ({
    row: sessionRow(session),
    choose: () => onSession(session.key),
  })

  function answer(next: readonly Choice[]): void {
    isAnswered = true
    show(next)
    if (wantsBest) choose(0)
  }

  function show(next: readonly Choice[]): void {
    choices = next
    listsRecent = false
    list.replaceChildren(...choices.map(({ row }, i) => row(`search-row-${i}`, () => choose(i))))
    list.scrollTop = 0
    // Where nothing is listed, the words take its place.
    ;(choices.length === 0 ? body : said).append(note)
    select(0)
  }

  function select(index: number): void {
    list.children[selected]?.setAttribute('aria-selected', 'false')
    selected = Math.max(0, Math.min(index, choices.length - 1))
    const row = list.children[selected]
    row?.setAttribute('aria-selected', 'true')
    row?.scrollIntoView({ block: 'nearest' })
    if (row === undefined) field.removeAttribute('aria-activedescendant')
    else field.setAttribute('aria-activedescendant', row.id)
  }

  function choose(index: number): void {
    const choice = choices[index]
    wantsBest = !isAnswered
    if (choice === undefined || wantsBest) return
    element.close()
    choice.choose()
  }

  /** What is on its way when it closes must not open anything. */
  function forget(): void {
    live.stop()
    opened++
    wantsBest = false
  }

  /** A click on what is behind it reaches the dialog itself. */
  function closeOutside(event: Event): void {
    if (event.target === element) element.close()
  }

  /** Also where Escape would only empty the field. */
  function closeByKey(event: KeyboardEvent): void {
    const isShortcut = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k'
    if (event.isComposing || (!isShortcut && event.key !== 'Escape')) return
    event.preventDefault()
    element.close()
  }

  function byKey(event: KeyboardEvent): void {
    if (event.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 6, PageUp: -6 }[event.key]
    if (step !== undefined) select(selected + step)
    else if (event.key === 'Enter') choose(selected)
    else return
    event.preventDefault()
  }

  return {
    element,
    open() {
      if (element.open) return field.select()
      filters.open(openKey())
      element.showModal()
      field.focus()
      field.select()
      ask()
    },
  }
}

function wordsFor({ sessions, hits, hasMore }: Found, query: string): string {
  if (sessions.length === 0 && hits.length === 0) return `No messages contain “${query}”.`
  const titles = sessions.length === 0 ? '' : `${counted(sessions.length, 'title')}, `
  return `${hasMore ? 'Top ' : ''}${titles}${counted(hits.length, 'message')}`
}
