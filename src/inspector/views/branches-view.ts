import type { BranchPreview } from '../../client/branches/branch-types.ts'
import { type BranchLine, branchLines, targetOfTreeKey } from '../branch-lines.ts'
import { createDelay } from '../create-delay.ts'
import { counted, errorText, lineOf, timeOf } from '../describe-values.ts'
import type { Inspection, InspectorView } from '../inspection.ts'
import type { InspectedClient } from '../inspector-options.ts'
import { fill, h, scrollArea, userText } from '../make-element.ts'

/** Branches that are drawn. A tree of more is not looked at, it is searched. */
const mostShown = 500

/** The lines of a session as a tree. */
export function createBranchesView(inspection: Inspection): InspectorView {
  const { client, signal } = inspection
  const tree = h('ul', { role: 'tree', class: 'tree', 'aria-label': 'Branches', onkeydown: onKey, onclick: onClick })
  const name = h('strong', { class: 'name' })
  const extent = h('output', { class: 'hint' })
  let lines: readonly BranchLine[] = []
  /** Whose lines they are. */
  let shown: string | undefined
  let active = 0
  let isShown = false
  const reread = createDelay(500, signal, read)

  function read(): void {
    const key = inspection.selection()?.key
    // Nothing of one session stands under the name of another.
    if (key !== shown) {
      shown = key
      lines = []
      active = 0
      display()
      extent.textContent = ''
    }
    if (key === undefined) return void name.replaceChildren('Choose a session first.')
    name.replaceChildren(userText(key))
    inspection.attempt(async () => {
      try {
        const branches = await previewsOf(client, key)
        if (shown !== key) return
        lines = branchLines(branches)
        display()
      } catch (error) {
        if (shown === key) extent.textContent = errorText(error)
        throw error
      }
    })
  }

  function display(): void {
    const hadFocus = tree.contains((tree.getRootNode() as Document | ShadowRoot).activeElement)
    active = Math.max(0, Math.min(active, lines.length - 1, mostShown - 1))
    extent.textContent = extentOf(lines.length)
    tree.hidden = lines.length === 0
    fill(
      tree,
      lines.slice(0, mostShown).map((line, index) => itemOf(line, index, index === active)),
    )
    if (hadFocus) focus(active)
  }

  function open(index: number): void {
    const key = inspection.selection()?.key
    const line = lines[index]
    if (key !== undefined && line !== undefined) inspection.select({ key, branch: line.branch.id }, 'Log')
  }

  function focus(index: number): void {
    const items = tree.children
    items[active]?.setAttribute('tabindex', '-1')
    active = Math.max(0, Math.min(items.length - 1, index))
    const item = items[active]
    item?.setAttribute('tabindex', '0')
    if (item instanceof HTMLElement) item.focus()
  }

  function onKey(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    const target = targetOfTreeKey(event.key, active, lines)
    if (target !== undefined) focus(target)
    else if (event.key === 'Enter' || event.key === ' ') open(active)
    else return
    event.preventDefault()
  }

  function onClick({ target }: MouseEvent): void {
    const item = target instanceof Element ? target.closest('[data-index]') : null
    if (item !== null) open(Number(item.getAttribute('data-index')))
  }

  inspection.onSelect(() => isShown && read())
  inspection.follow((change) => {
    if (isShown && inspection.isOfSelection(change)) reread.start()
  })

  return {
    element: h('div', { class: 'view' }, h('div', { class: 'bar' }, name, extent), scrollArea('Branches', tree)),
    show() {
      isShown = true
      read()
    },
    hide() {
      isShown = false
      reread.stop()
    },
  }
}

const extentOf = (lines: number): string =>
  lines > mostShown ? `The first ${counted(mostShown, 'branch', 'branches')} of ${lines}` : counted(lines, 'line')

async function previewsOf(client: InspectedClient, key: string): Promise<readonly BranchPreview[]> {
  const session = await client.session(key)
  try {
    return await session.branches.previews()
  } finally {
    await session.close()
  }
}

function itemOf({ branch, level }: BranchLine, index: number, isActive: boolean): HTMLElement {
  const item = h(
    'li',
    {
      role: 'treeitem',
      'aria-level': level,
      'aria-selected': branch.isHead ? 'true' : 'false',
      tabindex: isActive ? 0 : -1,
      'data-index': index,
    },
    h('strong', { dir: 'auto' }, branch.name || branch.id || 'main'),
    branch.isHead && h('span', { class: 'mark' }, 'head'),
    h('span', { class: 'preview', dir: 'auto' }, lineOf(branch.preview)),
    h(
      'span',
      { class: 'hint' },
      [
        counted(branch.messageCount, 'message'),
        branch.newerThanHead > 0 && `${branch.newerThanHead} newer than the head`,
        branch.lastActivity > 0 && timeOf(branch.lastActivity),
      ]
        .filter((part) => part !== false)
        .join(' · '),
    ),
  )
  item.style.setProperty('--level', String(Math.min(level, 24)))
  return item
}
