import { h } from '../ui/dom.ts'
import { iconButton } from '../ui/icon-button.ts'
import type { Fork } from './forks.ts'

/** `‹ 2/3 ›`: changes between the lines that leave at a fork. */
export function forkSwitcher(fork: Fork, onChoose: (branch: string) => void): HTMLElement {
  const { choices, shown } = fork
  const step = (by: -1 | 1) => () => {
    const chosen = choices[shown + by]
    if (chosen !== undefined) onChoose(chosen)
  }
  return h(
    'div',
    { class: 'fork-switcher', role: 'group', 'aria-label': 'Versions', 'data-fork': fork.id },
    iconButton('previous', 'Previous version', {
      'data-testid': 'branch-prev',
      disabled: shown === 0,
      onclick: step(-1),
    }),
    h('span', { 'data-testid': 'branch-label', 'aria-live': 'polite' }, `${shown + 1}/${choices.length}`),
    iconButton('next', 'Next version', {
      'data-testid': 'branch-next',
      disabled: shown === choices.length - 1,
      onclick: step(1),
    }),
  )
}
