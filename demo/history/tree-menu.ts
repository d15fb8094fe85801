import type { BranchInfo } from '../../src/index.ts'
import { h } from '../ui/dom.ts'
import { type IconName, icon } from '../ui/icons.ts'
import type { TreeNode } from './read-session-tree.ts'

/** What can be done at a place of the tree, beside going there. */
export interface TreeMenuActions {
  fork(node: TreeNode): void
  name(branch: BranchInfo): void
  merge(branch: BranchInfo): void
  remove(branch: BranchInfo, node: TreeNode): void
}

export interface TreeMenu {
  readonly element: HTMLElement
  open(node: TreeNode, button: HTMLElement): void
}

/** What can be done at one place of the tree. One menu serves all rows. */
export function createTreeMenu(actions: TreeMenuActions): TreeMenu {
  const list = h('ul', { class: 'menu-list' })
  const element = h(
    'div',
    { class: 'menu tree-menu', popover: 'auto', role: 'dialog', 'aria-label': 'Actions', onkeydown: byKey },
    list,
  )
  let opener: HTMLElement | undefined

  function item(name: IconName, text: string, testId: string, run: () => void): HTMLElement {
    return h(
      'li',
      {},
      h(
        'button',
        {
          type: 'button',
          class: 'menu-item tree-menu-item',
          'data-testid': testId,
          onclick: () => (element.hidePopover(), run()),
        },
        icon(name),
        h('span', {}, text),
      ),
    )
  }

  function byKey(event: KeyboardEvent): void {
    const items = [...list.querySelectorAll('button')]
    const at = items.findIndex((one) => one === document.activeElement)
    const to = event.key === 'ArrowDown' ? items[at + 1] : event.key === 'ArrowUp' ? items[at - 1] : undefined
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') event.preventDefault()
    to?.focus()
  }

  element.addEventListener('toggle', (event) => {
    // The focus goes back to where it came from, unless something else has taken it.
    if (
      (event as ToggleEvent).newState === 'closed' &&
      (document.activeElement === document.body || element.contains(document.activeElement))
    )
      opener?.focus()
  })

  return {
    element,
    open(node, button) {
      opener = button
      const { end, message } = node
      list.replaceChildren(
        ...(message === undefined
          ? []
          : [item('branch', 'Continue from here on a new branch', 'tree-fork', () => actions.fork(node))]),
        ...(end === undefined || end.id === ''
          ? []
          : [item('pencil', 'Rename branch', 'tree-name', () => actions.name(end))]),
        ...(end === undefined || end.isHead
          ? []
          : [item('merge', 'Copy messages to the current branch', 'tree-merge', () => actions.merge(end))]),
        ...(end === undefined || end.id === ''
          ? []
          : [item('trash', 'Delete branch', 'tree-delete', () => actions.remove(end, node))]),
      )
      element.showPopover()
      const place = button.getBoundingClientRect()
      const top = Math.min(place.bottom + 2, innerHeight - element.offsetHeight - 8)
      const right = Math.min(innerWidth - place.right, innerWidth - element.offsetWidth - 8)
      element.style.inset = `${Math.max(8, top)}px ${Math.max(8, right)}px auto auto`
      list.querySelector('button')?.focus()
    },
  }
}
