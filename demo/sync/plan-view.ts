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
    [upload.length, 'to upload'],
    [download.length, 'to download'],
    [exchange.length, 'with changes on both sides'],
    [erase.length, 'to erase here, because another device erased them permanently'],
  ] as const
  const isNothing = lines.every(([count]) => count === 0)
  return h(
    'div',
    { class: 'sync-plan', role: 'group', 'aria-label': 'Preview', 'data-testid': 'sync-plan' },
    isNothing
      ? h('p', {}, 'Both sides are the same: there is nothing to exchange yet.')
      : h(
          'ul',
          { class: 'panel-list' },
          ...lines.map(
            ([count, where]) =>
              count > 0 &&
              h(
                'li',
                { 'data-warns': where.startsWith('to erase') || undefined },
                h('strong', {}, counted(count, 'conversation')),
                ` ${where}`,
              ),
          ),
        ),
    h('p', { class: 'hint' }, 'Nothing has been sent yet.'),
    h(
      'div',
      { class: 'panel-buttons' },
      h('button', { type: 'button', class: 'button', onclick: onCancel }, 'Cancel'),
      h(
        'button',
        { type: 'button', class: 'button primary', 'data-testid': 'sync-begin', onclick: onBegin },
        'Start syncing',
      ),
    ),
  )
}
