import type { SessionMeta } from '../../src/index.ts'
import { h } from '../ui/dom.ts'
import { counted } from '../ui/format.ts'
import { icon } from '../ui/icons.ts'

export interface HistoryChips {
  readonly elements: readonly HTMLElement[]
  show(meta: SessionMeta | undefined): void
}

/** Open the picture of the branches and the list of checkpoints of the open conversation. */
export function createHistoryChips(onTree: () => void, onCheckpoints: () => void): HistoryChips {
  const count = h('span')
  const tree = h(
    'button',
    { type: 'button', class: 'chip', 'data-testid': 'branches', hidden: true, onclick: () => onTree() },
    icon('branch'),
    count,
  )
  const checkpoints = h(
    'button',
    {
      type: 'button',
      class: 'chip',
      'data-testid': 'checkpoints',
      title: 'Checkpoints',
      'aria-label': 'Checkpoints',
      hidden: true,
      onclick: () => onCheckpoints(),
    },
    icon('clock'),
  )

  return {
    elements: [tree, checkpoints],
    show(meta) {
      const branches = meta?.branches ?? []
      tree.hidden = checkpoints.hidden = meta === undefined || meta.deletedAt !== undefined
      count.textContent = String(branches.length)
      tree.title = counted(branches.length, 'branch', 'branches')
      tree.setAttribute('aria-label', tree.title)
      tree.dataset['newer'] = String(branches.some(({ newerThanHead }) => newerThanHead > 0))
    },
  }
}
