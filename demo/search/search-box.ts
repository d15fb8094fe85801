import { commandKey } from '../ui/command-key.ts'
import { h } from '../ui/dom.ts'
import { icon } from '../ui/icons.ts'

/** Looks like a field, and opens the search. */
export const searchBox = (onSearch: () => void): HTMLElement =>
  h(
    'button',
    {
      type: 'button',
      class: 'search-box',
      'data-testid': 'search-all',
      title: `Search conversations and messages (${commandKey} K)`,
      onclick: () => onSearch(),
    },
    icon('search'),
    h('span', {}, 'Search'),
    h('kbd', { 'aria-hidden': 'true' }, `${commandKey} K`),
  )
