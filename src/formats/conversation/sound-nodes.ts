import { checkMessage } from '../../contract/check-message.ts'
import { isSessionError, SessionError } from '../../contract/errors.ts'
import type { JsonObject, JsonValue } from '../../contract/json.ts'
import { canonicalJson } from '../../domain/canonical-json.ts'
import { hash53 } from '../../domain/hash53.ts'
import type { ImportNode } from '../../domain/import-node.ts'
import { normaliseJson } from '../../domain/normalise.ts'
import { toWellFormed } from '../../domain/to-well-formed.ts'
import { timeOf } from '../time.ts'
import type { Conversation, ConversationNode } from './conversation.ts'

/** A node that can be stored. */
export interface SoundNode extends ImportNode {
  /** UTF-8 bytes of its data as JSON. */
  readonly bytes: number
  readonly line?: number
}

export interface SoundNodes {
  /** The nodes in the order of the source, each id once. */
  readonly nodes: readonly SoundNode[]
  /** Parents of all nodes of the source, including nodes that are not stored. */
  readonly parents: ReadonlyMap<string, string | null>
  /** The nodes from which other nodes continue if their parents are unknown. */
  readonly follows: ReadonlyMap<string, string>
  /** Roots that continue from nothing. */
  readonly beginnings: ReadonlySet<string>
  /**
   * The node at the end of the current line, or its nearest ancestor that is stored; absent when the head must not
   * change.
   */
  readonly current: string | undefined
}

/** Lower than the limits of stored entries, because an entry is two levels deeper than its node and has more fields. */
const limits = { maxDepth: 250, maxBytes: 16 * 1024 * 1024 - 64 * 1024, path: 'entry' }

/** The maximum number of UTF-16 units of an id; a longer one is replaced by its beginning and a hash. */
const idUnits = 256

/** The number of nodes in a step. */
const stepNodes = 16

/**
 * Checks and copies the nodes of a conversation. A node that can't be stored is reported, and its children are attached
 * to its parent. Of several nodes with one id the first counts, because an earlier import has stored that one. Every
 * tree is accepted: `importTree` handles missing parents and cycles. Yields after every few nodes, so that other work
 * can run in between.
 */
export function* soundNodes(
  conversation: Conversation,
  skip: (reason: string, line?: number) => void,
): Generator<void, SoundNodes, undefined> {
  const nodes = new Map<string, SoundNode>()
  const parents = new Map<string, string | null>()
  const follows = new Map<string, string>()
  const beginnings = new Set<string>()
  for (const [i, found] of conversation.nodes.entries()) {
    if (i % stepNodes === 0) yield
    const id = nodeId(found.id)
    const parentId = found.parentId === null ? null : nodeId(found.parentId)
    for (const problem of [found.leftOut, takeNode(found, { id, parentId })])
      if (problem !== undefined) skip(`entry ${JSON.stringify(id)}: ${problem}`, found.line)
  }

  function takeNode(
    found: ConversationNode,
    place: { readonly id: string; readonly parentId: string | null },
  ): string | undefined {
    const first = nodes.get(place.id)
    if (first === undefined && !parents.has(place.id)) {
      parents.set(place.id, place.parentId)
      if (found.follows !== undefined) follows.set(place.id, nodeId(found.follows))
      if (found.isBeginning === true) beginnings.add(place.id)
    }
    if (found.data === undefined) return undefined
    try {
      const { value, bytes } = normaliseJson(found.data, limits)
      const data = value as JsonObject
      if (first !== undefined)
        return canonicalJson(first.data) === canonicalJson(data)
          ? undefined
          : 'its id is used twice, and the first one counts'
      if (found.type === 'message') checkShape(data['message'])
      nodes.set(place.id, {
        ...place,
        type: found.type,
        data,
        at: timeOf(found.at) ?? 0,
        bytes,
        ...(found.line === undefined ? {} : { line: found.line }),
      })
      return undefined
    } catch (error) {
      if (!isSessionError(error)) throw error
      return error.message
    }
  }

  const last = [...nodes.keys()].at(-1)
  const named = conversation.current ?? undefined
  const current =
    conversation.current === null
      ? undefined
      : named === undefined
        ? last
        : (nearestKept(parents, (id) => nodes.has(id))(nodeId(named)) ?? last)
  return { nodes: [...nodes.values()], parents, follows, beginnings, current }
}

/**
 * Finds the node itself or its nearest ancestor that is kept; `undefined` when there is none. It remembers every path,
 * so that the descendants of a long gap do not walk it again.
 */
export function nearestKept(
  parents: ReadonlyMap<string, string | null>,
  isKept: (id: string) => boolean,
): (id: string) => string | undefined {
  const found = new Map<string, string | undefined>()
  return (id) => {
    const way: string[] = []
    let at: string | null | undefined = id
    while (at !== null && at !== undefined && !found.has(at)) {
      // A second visit means a cycle, in which nothing is found.
      found.set(at, isKept(at) ? at : undefined)
      if (isKept(at)) break
      way.push(at)
      at = parents.get(at)
    }
    const nearest = at === null || at === undefined ? undefined : found.get(at)
    for (const one of way) found.set(one, nearest)
    return nearest
  }
}

/**
 * The parents of the nodes. An unknown parent is replaced by the node from which a node continues instead, or by none.
 */
export function knownParents(
  { parents, follows }: Pick<SoundNodes, 'parents' | 'follows'>,
  isThere: (id: string) => boolean,
): ReadonlyMap<string, string | null> {
  return new Map(
    [...parents].map(([id, parent]) => {
      const isLost = parent !== null && !parents.has(parent) && !isThere(parent)
      return [id, isLost ? (follows.get(id) ?? null) : parent]
    }),
  )
}

/**
 * The first root that is not a beginning, so that it continues from the entries of the session. A tree with a stored
 * node is excluded, because its place is known.
 */
export function firstLoose(
  { nodes, beginnings }: Pick<SoundNodes, 'nodes' | 'beginnings'>,
  parents: ReadonlyMap<string, string | null>,
  isThere: (id: string) => boolean,
): string | undefined {
  const topOf = nearestKept(parents, (id) => parents.get(id) === null)
  const known = new Set(nodes.flatMap(({ id }) => (isThere(id) ? (topOf(id) ?? []) : [])))
  return nodes.find(({ id }) => parents.get(id) === null && !beginnings.has(id) && !known.has(id))?.id
}

/** Attaches each node to its nearest ancestor among these nodes. An unknown parent keeps its id. */
export function withoutGaps(
  nodes: readonly SoundNode[],
  parents: ReadonlyMap<string, string | null>,
): readonly SoundNode[] {
  const kept = new Set(nodes.map(({ id }) => id))
  const nearest = nearestKept(parents, (id) => kept.has(id))
  return nodes.map((node) => {
    const parentId = parents.get(node.id) ?? null
    return {
      ...node,
      parentId:
        parentId === null || kept.has(parentId) || !parents.has(parentId) ? parentId : (nearest(parentId) ?? null),
    }
  })
}

function checkShape(message: JsonValue | undefined): void {
  const problem = checkMessage(message)
  if (problem !== undefined)
    throw new SessionError('InvalidInput', `${['message', ...problem.path].join('.')} ${problem.reason}`)
}

function nodeId(id: string): string {
  const text = toWellFormed(id)
  if (text === '') return 'entry'
  return text.length <= idUnits ? text : `${toWellFormed(text.slice(0, 64))}~${hash53(text).toString(36)}`
}
