import type { BranchInfo, EntryView, Session } from '../../src/index.ts'
import { messagePreview } from '../chat/message-preview.ts'

const pageSize = 256

/** A message in the picture of a session, or the end of a line that has no message of its own. */
export interface TreeNode {
  /** The entry's id; of an end `end <branch>`. */
  readonly id: string
  /** The message; absent at an end without one, and at the start. */
  readonly message?: {
    readonly branch: string
    readonly order: string
    readonly role: string
    readonly preview: string
    readonly at: number
  }
  readonly parent: TreeNode | undefined
  /** The one that goes straight on, then those that leave, oldest first. */
  readonly children: TreeNode[]
  /** The line that ends here. */
  end?: BranchInfo
  /** A line that shows it: the one that is shown when it does, otherwise the newest. */
  line: string
  /** Whether it stands on the line that is shown. */
  isCurrent: boolean
  /** Whether its own branch was deleted, and others still pass through it. */
  readonly isOfDeleted: boolean
}

export interface SessionTreePicture {
  /** Stands before the first messages, and is none itself. */
  readonly start: TreeNode
  readonly branches: readonly BranchInfo[]
  readonly messages: number
}

/**
 * Reads all lines of a session as one tree of messages. Each line is read from its end, up to the first message that an
 * older line has already: so every message is read once, and stays here as one line of text.
 */
export async function readSessionTree(session: Session, signal: AbortSignal): Promise<SessionTreePicture> {
  const branches = (await session.branches.list()).toSorted((a, b) => a.createdAt - b.createdAt)
  const alive = new Set(branches.map(({ id }) => id))
  const start: TreeNode = {
    id: 'start',
    parent: undefined,
    children: [],
    line: '',
    isCurrent: true,
    isOfDeleted: false,
  }
  const nodes = new Map<string, TreeNode>()

  for (const branch of branches) {
    const { own, parent } = await readOwn(session, branch.id, nodes, signal)
    let last = parent ?? start
    for (const entry of own) {
      const node = nodeOf(entry, last, !alive.has(entry.branch))
      last.children.push(node)
      nodes.set(entry.id, node)
      last = node
    }
    if (last.end !== undefined || last.children.length > 0 || last === start) last = addEnd(last, branch)
    else last.end = branch
  }
  markLines([start, ...nodes.values()].flatMap((node) => [node, ...node.children]))
  return { start, branches, messages: nodes.size }
}

/** The newest messages of a line that are not in the tree yet, and the one they follow. */
async function readOwn(
  session: Session,
  line: string,
  nodes: ReadonlyMap<string, TreeNode>,
  signal: AbortSignal,
): Promise<{ readonly own: readonly EntryView[]; readonly parent: TreeNode | undefined }> {
  const newestFirst: EntryView[] = []
  for (let before: string | undefined; ; ) {
    const page = await session.page({
      branch: line,
      ...(before === undefined ? { last: pageSize } : { before, limit: pageSize }),
    })
    signal.throwIfAborted()
    for (const entry of page.entries.toReversed()) {
      if (entry.message === undefined) continue
      const parent = nodes.get(entry.id)
      if (parent !== undefined) return { own: newestFirst.reverse(), parent }
      newestFirst.push(entry)
    }
    before = page.entries[0]?.order
    if (!page.more || before === undefined) return { own: newestFirst.reverse(), parent: undefined }
  }
}

function nodeOf({ id, branch, order, at, message }: EntryView, parent: TreeNode, isOfDeleted: boolean): TreeNode {
  const said =
    message === undefined
      ? {}
      : { message: { branch, order, at, role: message.role, preview: messagePreview(message) } }
  return { id, ...said, parent, children: [], line: branch, isCurrent: false, isOfDeleted }
}

/** Of a branch that has nothing yet, or ends in the middle of another one. */
function addEnd(parent: TreeNode, end: BranchInfo): TreeNode {
  const node: TreeNode = {
    id: `end ${end.id}`,
    parent,
    children: [],
    end,
    line: end.id,
    isCurrent: false,
    isOfDeleted: false,
  }
  parent.children.push(node)
  return node
}

/** Tells every message which line shows it: from the ends up, the line that is shown first, then the newest. */
function markLines(nodes: readonly TreeNode[]): void {
  const rank = ({ end }: TreeNode): number => (end?.isHead === true ? Infinity : (end?.createdAt ?? 0))
  const marked = new Set<TreeNode>()
  for (const tip of nodes.filter(({ end }) => end !== undefined).toSorted((a, b) => rank(b) - rank(a))) {
    for (let node: TreeNode | undefined = tip; node !== undefined && !marked.has(node); node = node.parent) {
      marked.add(node)
      node.line = tip.end!.id
      node.isCurrent = tip.end!.isHead
    }
  }
}
