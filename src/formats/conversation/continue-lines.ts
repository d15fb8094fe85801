import { timeOf } from '../time.ts'
import type { ConversationNode } from './conversation.ts'
import { nearestKept } from './sound-nodes.ts'

/**
 * Ties together what a source left in pieces. A node whose parent is missing begins a tree of its own, and a branch of
 * its own would hide what came before it; so it goes on from the node before it, by time and then by place in the list.
 * Where it names a parent that an earlier import may have brought, that counts (`follows`).
 *
 * @param isSibling - whether a node without a parent is another beginning, such as a first question that was asked anew
 */
export function continueLines(
  nodes: readonly ConversationNode[],
  isSibling: (node: ConversationNode) => boolean = () => false,
): readonly ConversationNode[] {
  const parents = new Map(nodes.map(({ id, parentId }) => [id, parentId]))
  /** The node at the top of its tree; none for what goes round in a circle. */
  const topOf = nearestKept(parents, (id) => !parents.has(parents.get(id) ?? ''))
  const begun = new Set<string>()
  const before = new Map<string, string>()
  let last: string | undefined
  for (const { id } of inOrder(nodes)) {
    const top = topOf(id)
    if (top !== undefined && !begun.has(top)) {
      begun.add(top)
      if (last !== undefined) before.set(top, last)
    }
    last = id
  }
  return nodes.map((node) => {
    if (node.parentId === null && isSibling(node)) return { ...node, isBeginning: true }
    const follows = before.get(node.id)
    if (follows === undefined) return node
    return node.parentId === null ? { ...node, parentId: follows } : { ...node, follows }
  })
}

/** By time; a node without one stays behind the one before it in the list. */
function inOrder(nodes: readonly ConversationNode[]): readonly ConversationNode[] {
  let time = 0
  const timed = nodes.map((node) => ({ node, time: (time = timeOf(node.at) || time) }))
  return timed.sort((a, b) => a.time - b.time).map(({ node }) => node)
}
