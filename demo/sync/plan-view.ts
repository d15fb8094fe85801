import type { SyncPlan } from '../../src/sync.ts'
import { h } from '../ui/dom.ts'
import { counted } from '../ui/format.ts'

/** What the first exchange would do, and whether it should. */
export function planView(
  { upload, download, exchange, erase }: SyncPlan,
  onBegin: () => void,
  onCancel: () => void,
): HTMLElement {
  const lines = [
    [upload.length, 'from here to the server'],
    [download.length, 'from other devices to here'],
    [exchange.length, 'on both sides, with something new'],
    [erase.length, 'erased here, because another device erased them for good'],
  ] as const
  const isNothing = lines.every(([count]) => count === 0)
  return h(
    'div',
    { class: 'sync-plan', role: 'group', 'aria-label': 'What would happen', 'data-testid': 'sync-plan' },
    isNothing
      ? h('p', {}, 'Both sides have the same: there is nothing to exchange yet.')
      : h(
          'ul',
          { class: 'panel-list' },
          ...lines.map(
            ([count, where]) =>
              count > 0 &&
              h(
                'li',
                { 'data-warns': where.startsWith('erased') || undefined },
                h('strong', {}, counted(count, 'conversation')),
                ` ${where}`,
              ),
          ),
        ),
    h('p', { class: 'hint' }, 'Nothing was sent so far.'),
    h(
      'div',
      { class: 'panel-buttons' },
      h('button', { type: 'button', class: 'button', onclick: onCancel }, 'Not now'),
      h(
        'button',
        { type: 'button', class: 'button primary', 'data-testid': 'sync-begin', onclick: onBegin },
        'Begin to sync',
      ),
    ),
  )
}
