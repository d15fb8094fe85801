import { timeOf } from '../time.ts'
import type { ConversationNode } from './conversation.ts'
import { nearestKept } from './sound-nodes.ts'

/**
 * Connects the parts of a conversation that a source left in pieces. A node whose parent is missing would become the
 * root of another branch, which would hide the messages before it. So it continues from the node before it, by time and
 * then by place in the list. If it names a parent that an earlier import may have stored, that one is preferred
 * (`follows`).
 *
 * @param isSibling - whether a node without a parent is another beginning, such as a first question that was edited
 */
export function continueLines(
  nodes: readonly ConversationNode[],
  isSibling: (node: ConversationNode) => boolean = () => false,
): readonly ConversationNode[] {
  const parents = new Map(nodes.map(({ id, parentId }) => [id, parentId]))
  /** The root of a node's tree; none for a node in a cycle. */
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

/** Sorts by time; a node without a time stays after the one before it in the list. */
function inOrder(nodes: readonly ConversationNode[]): readonly ConversationNode[] {
  let time = 0
  const timed = nodes.map((node) => ({ node, time: (time = timeOf(node.at) || time) }))
  return timed.sort((a, b) => a.time - b.time).map(({ node }) => node)
}
