import type { SessionListing } from '../../src/index.ts'
import { titleOf } from '../chat/top-bar.ts'
import { h } from '../ui/dom.ts'
import { counted, longTime, shortTime } from '../ui/format.ts'
import { iconButton } from '../ui/icon-button.ts'
import { sessionAddress } from '../ui/route.ts'

/** What can be done with a session in the list. */
export interface RowActions {
  rename(session: SessionListing, place: HTMLElement): void
  archive(session: SessionListing): void
  remove(session: SessionListing): void
  restore(session: SessionListing): void
  purge(session: SessionListing): void
}

/** One session of the list: a link, with its actions beside it. */
export function sessionRow(session: SessionListing, isOpen: boolean, actions: RowActions): HTMLElement {
  const name = titleOf(session)
  const link = h(
    'a',
    {
      class: 'session-link',
      href: sessionAddress(session.key),
      'aria-current': isOpen ? 'page' : undefined,
      tabindex: -1,
    },
    h('span', { class: 'session-title', dir: 'auto' }, name),
    h(
      'span',
      { class: 'session-info', title: longTime(session.updatedAt) },
      `${shortTime(session.updatedAt)} · ${counted(session.messageCount, 'message')}`,
    ),
  )
  const item = h('li', { class: 'session-item', 'data-testid': 'session-item', 'data-key': session.key }, link)
  const action = (...given: Parameters<typeof iconButton>) =>
    iconButton(given[0], given[1], { tabindex: -1, ...given[2] })
  const buttons =
    session.deletedAt === undefined
      ? [
          action('pencil', `Rename “${name}”`, {
            'data-testid': 'rename',
            onclick: () => actions.rename(session, link),
          }),
          action(
            session.archived ? 'undo' : 'archive',
            session.archived ? `Unarchive “${name}”` : `Archive “${name}”`,
            { 'data-testid': 'archive', onclick: () => actions.archive(session) },
          ),
          action('trash', `Delete “${name}”`, { 'data-testid': 'delete', onclick: () => actions.remove(session) }),
        ]
      : [
          action('undo', `Restore “${name}”`, { 'data-testid': 'restore', onclick: () => actions.restore(session) }),
          action('trash', `Erase “${name}” permanently`, {
            'data-testid': 'purge',
            onclick: () => actions.purge(session),
          }),
        ]
  item.append(h('div', { class: 'session-actions' }, ...buttons))
  return item
}
