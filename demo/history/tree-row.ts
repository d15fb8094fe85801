import type { BranchInfo } from '../../src/index.ts'
import { speakerOf } from '../chat/message-preview.ts'
import { h } from '../ui/dom.ts'
import { counted, longTime, shortened, shortTime } from '../ui/format.ts'
import { iconButton } from '../ui/icon-button.ts'
import { lanePicture } from './lane-picture.ts'
import type { TreeRow } from './lay-out-tree.ts'
import type { TreeNode } from './read-session-tree.ts'

export interface TreeRowActions {
  /** Goes to a message, or to the end of a line. */
  show(node: TreeNode): void
  unfold(row: TreeRow): void
  /** Shows what else can be done, beside the button. */
  more(row: TreeRow, button: HTMLElement): void
}

/** What a branch is called. Numbers go by age, so they stay. */
export const branchName = (branch: BranchInfo, branches: readonly BranchInfo[]): string =>
  branch.name ?? (branch.id === '' ? 'Main' : `Branch ${branches.findIndex(({ id }) => id === branch.id) + 1}`)

/** A row of the picture: its piece of the lanes, the message, and the name of a line that ends there. */
export function treeRow(
  row: TreeRow,
  lanes: number,
  branches: readonly BranchInfo[],
  actions: TreeRowActions,
): HTMLElement {
  const { node, folded } = row
  const picture = lanePicture(row, lanes)
  if (folded > 0) {
    const unfold = h(
      'button',
      { type: 'button', class: 'tree-main tree-fold', 'data-testid': 'tree-fold', onclick: () => actions.unfold(row) },
      counted(folded, 'message'),
    )
    return h('li', { class: 'tree-row', 'data-run': row.run }, picture, unfold)
  }
  const main = h(
    'button',
    {
      type: 'button',
      class: 'tree-main',
      'data-testid': 'tree-message',
      'aria-current': node.end?.isHead === true ? 'true' : undefined,
      title: titleOf(node),
      onclick: () => actions.show(node),
    },
    node.end && badge(node.end, branches),
    ...words(node),
  )
  const more = iconButton('more', 'Actions', {
    class: 'icon-button tree-more',
    tabindex: -1,
    'aria-haspopup': 'true',
    onclick: () => actions.more(row, more),
  })
  return h(
    'li',
    {
      class: 'tree-row',
      'data-id': node.id,
      'data-end': node.end?.id,
      'data-current': String(node.isCurrent),
      'data-deleted': String(node.isOfDeleted),
    },
    picture,
    main,
    node.message !== undefined || node.end !== undefined ? more : undefined,
  )
}

function badge(branch: BranchInfo, branches: readonly BranchInfo[]): HTMLElement {
  const newer =
    branch.newerThanHead > 0 && !branch.isHead
      ? h('span', { class: 'tree-newer' }, `${branch.newerThanHead.toLocaleString()} newer`)
      : undefined
  return h(
    'span',
    { class: 'tree-badge', 'data-testid': 'tree-branch', 'data-head': String(branch.isHead) },
    branchName(branch, branches),
    branch.isHead && h('span', { class: 'visually-hidden' }, ' (current)'),
    newer,
  )
}

function words({ message, children, end, parent }: TreeNode): readonly HTMLElement[] {
  if (message === undefined)
    return [
      h(
        'span',
        { class: 'tree-words hint' },
        end === undefined ? 'Start' : parent?.message === undefined ? 'No messages yet' : 'No new messages yet',
      ),
    ]
  const ways =
    children.length > 1
      ? h('span', { class: 'visually-hidden' }, `, ${children.length} branches continue from here`)
      : undefined
  return [
    h(
      'span',
      { class: 'tree-words' },
      h('span', { class: 'tree-role', 'data-role': message.role }, speakerOf(message.role)),
      shortened(message.preview, 160),
      ways,
    ),
    h('time', { class: 'tree-time', datetime: new Date(message.at).toISOString() }, shortTime(message.at)),
  ]
}

function titleOf({ message, isOfDeleted }: TreeNode): string {
  if (message === undefined) return ''
  return `${longTime(message.at)}${isOfDeleted ? '\nFrom a deleted branch; other branches still use this message.' : ''}\n${shortened(message.preview, 300)}`
}
