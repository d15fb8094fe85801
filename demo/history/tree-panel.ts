import type { BranchInfo, Session, SessionClient } from '../../src/index.ts'
import type { Place } from '../chat/conversation.ts'
import { rovingFocus } from '../sessions/roving-focus.ts'
import { h } from '../ui/dom.ts'
import { counted } from '../ui/format.ts'
import { iconButton } from '../ui/icon-button.ts'
import { inlineEdit } from '../ui/inline-edit.ts'
import { lookAgain } from '../ui/look-again.ts'
import { messageOf, type Toasts } from '../ui/toasts.ts'
import { createBranchActions } from './branch-actions.ts'
import { layOutTree, type TreeRow, unfoldedAtOnce } from './lay-out-tree.ts'
import { readSessionTree, type SessionTreePicture, type TreeNode } from './read-session-tree.ts'
import { createTreeMenu } from './tree-menu.ts'
import { branchName, treeRow } from './tree-row.ts'

export interface TreePanelOptions {
  readonly client: SessionClient
  readonly toasts: Toasts
  /** Goes to a message of the session that is open. */
  readonly onShow: (place: Place) => Promise<void>
}

export interface TreePanel {
  readonly element: HTMLDialogElement
  /** Follows another session from now on. */
  follow(session: Session): void
  open(): void
}

/** All lines of a conversation as one picture: go to any message, go on from it, and name, merge or delete branches. */
export function createTreePanel({ client, toasts, onShow }: TreePanelOptions): TreePanel {
  const list = h('ul', { class: 'tree-rows', 'aria-label': 'Messages of all branches', onkeydown: byKey })
  const note = h('p', { class: 'tree-note', role: 'status', 'data-testid': 'tree-note' })
  const actions = createBranchActions(client, toasts)
  const menu = createTreeMenu({
    fork: (node) => void fork(node),
    name: (branch) => void rename(branch),
    merge: (branch) => session && void actions.merge(session, branch, nameOf(branch)),
    remove: (branch, node) => session && void actions.remove(session, branch, nameOf(branch), node),
  })
  const element = h(
    'dialog',
    {
      class: 'dialog panel tree-panel',
      'aria-labelledby': 'tree-title',
      'data-testid': 'tree-panel',
      onclose: () => reading?.abort(),
    },
    h(
      'header',
      {},
      h('h2', { id: 'tree-title' }, 'Branches'),
      iconButton('close', 'Close', { onclick: () => element.close() }),
    ),
    h('div', { class: 'tree-body' }, list),
    h('footer', {}, note),
    menu.element,
  )
  const refreshFocus = rovingFocus(list, '.tree-main')
  const unfolded = new Map<string, number>()
  let session: Session | undefined
  let picture: SessionTreePicture | undefined
  let reading: AbortController | undefined
  let isEditing = false
  /** The focus is to go to where the user is, once that is drawn. */
  let isOpening = false

  async function refresh(): Promise<void> {
    callOff()
    reading?.abort()
    const followed = session
    if (followed === undefined) return
    const { signal } = (reading = new AbortController())
    try {
      const read = await readSessionTree(followed, signal)
      if (signal.aborted) return
      picture = read
      render()
    } catch (error) {
      if (!signal.aborted) note.textContent = `The branches could not be read: ${messageOf(error)}`
    }
  }

  function render(): void {
    if (picture === undefined || isEditing) return
    const { start, branches, messages } = picture
    const focused = list.contains(document.activeElement)
      ? document.activeElement?.closest<HTMLElement>('.tree-row')?.dataset
      : undefined
    const row =
      focused &&
      (focused['run'] === undefined ? rowOf(focused['id'] ?? '') : `[data-run="${CSS.escape(focused['run'])}"]`)
    const rows = messages === 0 ? [] : layOutTree(start, messages, unfolded)
    const lanes = rows.reduce((most, { lane }) => Math.max(most, lane + 1), 1)
    list.replaceChildren(
      ...rows.map((row) =>
        treeRow(row, lanes, branches, {
          show: (node) => void go(node),
          unfold,
          more: ({ node }, button) => menu.open(node, button),
        }),
      ),
    )
    const count = `${counted(messages, 'message')} on ${counted(branches.length, 'branch', 'branches')}.`
    note.textContent =
      messages === 0
        ? 'No messages yet. Each edit and each regenerated reply opens a branch here, and nothing is lost.'
        : branches.length === 1
          ? `${count} Edit a message or regenerate a reply, and both versions are kept here.`
          : count
    refreshFocus()
    if (row !== undefined) focusRow(row)
    else if (isOpening) focusRow('.tree-row:has([aria-current])')
    isOpening = false
  }

  const rowOf = (id: string): string => `[data-id="${CSS.escape(id)}"]`

  function focusRow(selector: string): void {
    const main = list.querySelector<HTMLElement>(`${selector} .tree-main`)
    main?.focus({ preventScroll: true })
    main?.scrollIntoView({ block: 'nearest' })
  }

  function unfold({ run, node }: TreeRow): void {
    unfolded.set(run, (unfolded.get(run) ?? 0) + unfoldedAtOnce)
    render()
    focusRow(rowOf(node.id))
  }

  async function go(node: TreeNode): Promise<void> {
    element.close()
    const said = node.message === undefined ? node.parent : node
    try {
      if (said?.message === undefined) await session?.branches.switchTo(node.line)
      else await onShow({ line: node.line, id: said.id, order: said.message.order })
    } catch (error) {
      toasts.fail('The message could not be shown', error)
    }
  }

  async function fork(node: TreeNode): Promise<void> {
    const branch = session && (await actions.fork(session, node))
    if (branch === undefined) return
    await go({ ...node, line: branch.id })
    toasts.show({ text: 'Your next message continues from here, on a new branch.' })
  }

  async function rename(branch: BranchInfo): Promise<void> {
    const row = `[data-end="${CSS.escape(branch.id)}"]`
    const place = list.querySelector<HTMLElement>(`${row} .tree-main`)
    if (session === undefined || place === null) return
    const renamed = session
    isEditing = true
    const chosen = await inlineEdit(place, nameOf(branch), 'Branch name')
    isEditing = false
    if (chosen !== undefined) await actions.name(renamed, branch, chosen)
    await refresh()
    focusRow(row)
  }

  const nameOf = (branch: BranchInfo): string => branchName(branch, picture?.branches ?? [])

  function byKey(event: KeyboardEvent): void {
    const row = event.target instanceof Element ? event.target.closest<HTMLElement>('.tree-row') : null
    const isMenu = event.key === 'ContextMenu' || (event.shiftKey && event.key === 'F10')
    if (row === null || event.target instanceof HTMLInputElement || !isMenu) return
    event.preventDefault()
    row.querySelector<HTMLElement>('.tree-more')?.click()
  }

  const callOff = lookAgain(client, (key) => element.open && key === session?.key, refresh)

  return {
    element,
    follow(next) {
      session = next
      picture = undefined
      unfolded.clear()
      if (element.open) void refresh()
    },
    open() {
      list.replaceChildren()
      note.textContent = 'Reading…'
      element.showModal()
      isOpening = true
      void refresh()
    },
  }
}
