import type { TreeNode } from './read-session-tree.ts'

/** A line of the picture: a message, or several that follow each other and are folded away. */
export interface TreeRow {
  /** The message; of folded ones the first. */
  readonly node: TreeNode
  /** How many are folded here; 0 for a message. */
  readonly folded: number
  /** Names the run of messages that it is in, for unfolding. */
  readonly run: string
  /** Column, 0 at the left. */
  readonly lane: number
  /** Where the line to it comes from: the row above, another lane, or nowhere. */
  readonly from: 'above' | 'aside' | 'nowhere'
  /** Whether a line goes on below in its lane, and is one of the line shown. */
  readonly down: 'none' | 'other' | 'current'
  /** Lanes of others that pass by, and whether they belong to the line shown there. */
  readonly passing: readonly { readonly lane: number; readonly isCurrent: boolean }[]
}

/** Up to so many messages, all of them are shown. */
const foldedFrom = 40
/** Fewer than these are not worth folding. */
const shortestFold = 3
/** So many more are shown at a time. */
export const unfoldedAtOnce = 100

/**
 * Places the messages of a session: one below the other, what leaves a line in a lane to the right of it, before that
 * line goes on. So lanes are free again when a branch ends, and there are never more of them than branches within each
 * other.
 *
 * @param unfolded - how many messages of each run are to be shown
 */
export function layOutTree(
  start: TreeNode,
  messages: number,
  unfolded: ReadonlyMap<string, number>,
): readonly TreeRow[] {
  const rows: TreeRow[] = []
  const isFolding = messages > foldedFrom

  function follow(first: TreeNode, lane: number, passing: TreeRow['passing'], comesFrom: TreeRow['from']): void {
    let from = comesFrom
    // The first message after a fork is always shown: it is what is chosen between.
    let isChoice = from !== 'above'
    for (let node: TreeNode | undefined = first; node !== undefined; ) {
      const run: readonly TreeNode[] = isFolding && !isChoice ? runFrom(node) : []
      if (run.length > 0) {
        const wanted = unfolded.get(node.id) ?? 0
        const shown = run.length - wanted < shortestFold ? run.length : wanted
        for (const one of run.slice(0, shown))
          rows.push({ node: one, folded: 0, run: '', lane, from, down: downOf(one), passing })
        if (shown < run.length)
          rows.push({
            node: run[shown]!,
            folded: run.length - shown,
            run: node.id,
            lane,
            from,
            down: downOf(run.at(-1)!),
            passing,
          })
        node = run.at(-1)!.children[0]
        isChoice = true
        continue
      }
      rows.push({ node, folded: 0, run: '', lane, from, down: downOf(node), passing })
      const [straight, ...leaving]: readonly TreeNode[] = node.children
      leaving.forEach((child, i) => {
        const isCurrent = [straight!, ...leaving.slice(i + 1)].some((later) => later.isCurrent)
        follow(child, lane + 1, [...passing, { lane, isCurrent }], 'aside')
      })
      isChoice = leaving.length > 0
      from = 'above'
      node = straight
    }
  }

  const [only, ...others] = start.children
  if (only !== undefined && others.length === 0) follow(only, 0, [], 'nowhere')
  else if (only !== undefined) follow(start, 0, [], 'nowhere')
  return rows
}

/** The messages from here on that nothing leaves and no line ends at. */
function runFrom(first: TreeNode): readonly TreeNode[] {
  const run: TreeNode[] = []
  for (
    let node: TreeNode | undefined = first;
    node !== undefined && node.end === undefined && node.children.length === 1;
    node = node.children[0]
  )
    run.push(node)
  return run
}

function downOf({ children, isCurrent }: TreeNode): TreeRow['down'] {
  if (children.length === 0) return 'none'
  return isCurrent && children.some((child) => child.isCurrent) ? 'current' : 'other'
}
