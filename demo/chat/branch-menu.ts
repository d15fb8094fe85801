import type { BranchInfo, SessionClient, SessionMeta } from '../../src/index.ts'
import { h } from '../ui/dom.ts'
import { counted, shortTime } from '../ui/format.ts'
import { icon } from '../ui/icons.ts'
import { iconButton } from '../ui/icon-button.ts'
import { inlineEdit } from '../ui/inline-edit.ts'
import type { Toasts } from '../ui/toasts.ts'

export interface BranchMenu {
  readonly element: HTMLElement
  show(meta: SessionMeta | undefined): void
}

/** All lines of a session: go to one, name it, or delete it. */
export function createBranchMenu(store: SessionClient, toasts: Toasts): BranchMenu {
  const count = h('span')
  const list = h('ul', { class: 'menu-list' })
  const menu = h('div', { class: 'menu', popover: 'auto', id: 'branch-menu', 'aria-label': 'Branches', role: 'dialog' }, h('h2', {}, 'Branches'), list)
  const opener = h('button', { type: 'button', class: 'chip', popovertarget: 'branch-menu', 'data-testid': 'branches' }, icon('branch'), count)
  const element = h('div', { class: 'branch-menu', hidden: true }, opener, menu)
  let shown: SessionMeta | undefined
  /** What the menu was made of: it is made anew, and loses the focus, only when that changes. */
  let shownContent = ''
  let isEditing = false

  function attempt(what: string, work: Promise<unknown>): void {
    work.catch((error: unknown) => toasts.fail(what, error))
  }

  function refresh(): void {
    if (isEditing) return
    const { key = '', branches = [] } = shown ?? {}
    element.hidden = branches.length < 2 || shown?.deletedAt !== undefined
    if (element.hidden) menu.hidePopover()
    count.textContent = String(branches.length)
    opener.title = counted(branches.length, 'branch', 'branches')
    opener.setAttribute('aria-label', opener.title)
    opener.dataset['newer'] = String(branches.some((branch) => branch.newerThanHead > 0))
    list.replaceChildren(...branches.map((branch, index) => row(key, branch, index)))
  }

  function row(key: string, branch: BranchInfo, index: number): HTMLElement {
    const name = branch.name ?? (branch.id === '' ? 'Main' : `Branch ${index + 1}`)
    const newer = branch.newerThanHead > 0 ? `${counted(branch.newerThanHead, 'newer entry', 'newer entries')} there` : ''
    const hint = newer || (branch.createdAt > 0 ? shortTime(branch.createdAt) : '')
    const choose = h(
      'button',
      { type: 'button', class: 'menu-item', 'aria-current': branch.isHead ? 'true' : undefined, onclick: () => (menu.hidePopover(), attempt('The branch could not be shown', store.switchBranch(key, branch.id))) },
      h('span', {}, name),
      h('span', { class: 'menu-hint' }, hint),
    )
    const item = h('li', {}, choose)
    if (branch.id === '') return item
    item.append(
      iconButton('pencil', `Rename ${name}`, { onclick: () => void rename(key, branch, choose, name) }),
      iconButton('trash', `Delete ${name}`, { onclick: () => attempt('The branch could not be deleted', store.deleteBranch(key, branch.id)) }),
    )
    return item
  }

  async function rename(key: string, branch: BranchInfo, place: HTMLElement, name: string): Promise<void> {
    isEditing = true
    const chosen = await inlineEdit(place, name, 'Name of this branch')
    isEditing = false
    if (chosen !== undefined) attempt('The branch could not be renamed', store.updateBranch(key, branch.id, { name: chosen === '' ? null : chosen }))
    refresh()
  }

  return {
    element,
    show(meta) {
      const content = JSON.stringify([meta?.key, meta?.branches, meta?.deletedAt])
      if (content === shownContent) return
      shownContent = content
      shown = meta
      refresh()
    },
  }
}
