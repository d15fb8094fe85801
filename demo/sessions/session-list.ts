import type { ListQuery, LiveQuery, SessionClient, SessionListing, SessionPage } from '../../src/index.ts'
import { searchBox } from '../search/search-box.ts'
import { atMostEvery } from '../ui/at-most-every.ts'
import { h } from '../ui/dom.ts'
import { counted } from '../ui/format.ts'
import { icon } from '../ui/icons.ts'
import { inlineEdit } from '../ui/inline-edit.ts'
import { messageOf, type Toasts } from '../ui/toasts.ts'
import { rovingFocus } from './roving-focus.ts'
import { createSessionGroups } from './session-groups.ts'
import type { RowActions } from './session-row.ts'

/** A list is at once what it is: only very many conversations come in parts. */
const pageSize = 1000
/** An import changes the list hundreds of times a second. */
const renderMs = 150

const folders = [
  { id: 'open', label: 'Open', query: { archived: false }, empty: 'No conversations yet' },
  { id: 'archived', label: 'Archived', query: { archived: true }, empty: 'No archived conversations' },
  { id: 'deleted', label: 'Deleted', query: { deleted: true }, empty: 'No deleted conversations' },
] as const satisfies readonly { id: string; label: string; query: ListQuery; empty: string }[]

export interface SessionListOptions {
  readonly client: SessionClient
  readonly toasts: Toasts
  readonly onNew: () => void
  readonly onSearch: () => void
  readonly onDelete: (session: SessionListing) => void
  readonly onRestore: (key: string) => void
}

export interface SessionList {
  readonly element: HTMLElement
  /** Marks the session that is open. */
  setOpen(key: string): void
}

/** All sessions, live: folders, and what can be done with each. */
export function createSessionList({
  client,
  toasts,
  onNew,
  onSearch,
  onDelete,
  onRestore,
}: SessionListOptions): SessionList {
  const note = h('p', { class: 'session-note', role: 'status' })
  const more = h(
    'button',
    { type: 'button', class: 'text-button', hidden: true, onclick: () => follow(limit + 2 * pageSize) },
    'Show more',
  )
  const tabs = folders.map((folder) =>
    h(
      'button',
      { type: 'button', class: 'folder', 'data-testid': `folder-${folder.id}`, onclick: () => choose(folder) },
      folder.label,
    ),
  )
  let folder: (typeof folders)[number] = folders[0]
  let limit = pageSize
  let query: LiveQuery<SessionPage> | undefined
  let openKey = ''
  let isEditing = false

  const actions: RowActions = {
    rename: (session, place) => void rename(session, place),
    archive: ({ key, archived }) =>
      attempt('The conversation could not be moved', client.store.updateMeta(key, { archived: !archived })),
    remove: onDelete,
    restore: ({ key }) => onRestore(key),
    purge: ({ key }) => attempt('The conversation could not be erased', client.purge(key)),
  }

  const groups = createSessionGroups(actions)
  const list = groups.element
  list.addEventListener('keydown', byKey)
  const refreshFocus = rovingFocus(list)
  const element = h(
    'nav',
    { class: 'session-list', 'aria-label': 'Conversations' },
    h(
      'button',
      { type: 'button', class: 'button primary new-button', 'data-testid': 'new-session', onclick: () => onNew() },
      icon('plus'),
      'New conversation',
    ),
    searchBox(onSearch),
    h('div', { class: 'folders', role: 'group', 'aria-label': 'Show' }, ...tabs),
    h('div', { class: 'session-scroll' }, list, note, more),
  )

  function attempt(what: string, work: Promise<unknown>): void {
    work.catch((error: unknown) => toasts.fail(what, error))
  }

  async function rename(session: SessionListing, place: HTMLElement): Promise<void> {
    isEditing = true
    const title = await inlineEdit(place, session.title, 'Conversation title')
    isEditing = false
    if (title !== undefined)
      attempt(
        'The conversation could not be renamed',
        client.store.updateMeta(session.key, { title: title === '' ? null : title }),
      )
    render()
    focusRow(session.key)
  }

  function choose(next: (typeof folders)[number]): void {
    folder = next
    follow()
  }

  function follow(size = pageSize): void {
    query?.close()
    limit = size
    query = client.sessions({ ...folder.query, limit })
    query.subscribe(renderSoon)
    query
      .ready()
      .then(render, (error: unknown) => (note.textContent = `The list could not be read: ${messageOf(error)}`))
    for (const [index, tab] of tabs.entries()) tab.setAttribute('aria-pressed', String(folders[index] === folder))
  }

  const renderSoon = atMostEvery(renderMs, () => render())

  function render(): void {
    const page = query?.getSnapshot()
    if (page === undefined || isEditing) return
    const focused = document.activeElement?.closest<HTMLElement>('.session-item')
    const key = list.contains(focused ?? null) ? focused?.dataset['key'] : undefined
    groups.show(page.sessions, openKey)
    note.textContent = page.total > 0 ? '' : folder.empty
    more.hidden = page.next === undefined
    more.textContent = `Show more of ${counted(page.total, 'conversation')}`
    refreshFocus()
    if (key !== undefined && !list.contains(document.activeElement)) focusRow(key)
  }

  const focusRow = (key: string): void => groups.find(key)?.querySelector('a')?.focus()

  function byKey(event: KeyboardEvent): void {
    if (event.target instanceof HTMLInputElement) return
    const row = event.target instanceof Element ? event.target.closest('li') : null
    const testId = event.key === 'F2' ? 'rename' : event.key === 'Delete' ? 'delete' : undefined
    if (testId !== undefined) row?.querySelector<HTMLElement>(`[data-testid=${testId}]`)?.click()
  }

  // Since it was hidden it may have become another day.
  document.addEventListener('visibilitychange', render)
  follow()
  return {
    element,
    setOpen(key) {
      openKey = key
      render()
    },
  }
}
