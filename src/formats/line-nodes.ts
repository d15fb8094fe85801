import type { Entry } from '../contract/entry.ts'
import type { JsonObject } from '../contract/json.ts'
import type { ImportNode } from '../domain/import-tree.ts'
import type { MessageNames } from './create-message-names.ts'
import type { KnownMessages } from './known-messages.ts'

/** A message of a file that has one line of them. */
export interface LineMessage {
  readonly message: JsonObject
  /** Its place in the file, from 1. */
  readonly line: number
  /** Milliseconds since 1970; 0 when it doesn't say. */
  readonly at: number
  /** UTF-8 bytes as JSON. */
  readonly bytes: number
}

/** A message of the file, as a node of a line. */
interface MessageNode extends ImportNode {
  readonly line: number
  readonly bytes: number
}

export interface LineNodes {
  readonly nodes: readonly MessageNode[]
  /** What is there already, by node id. */
  readonly known: ReadonlyMap<string, Entry>
}

/** Nodes in a step. */
const stepNodes = 16

/**
 * The messages as a line, each after the one before. A message without a time has that of the one before it. Yields
 * after every few, so that others can work in between.
 */
export function* lineNodes(
  messages: readonly LineMessage[],
  there: KnownMessages,
  { hashOf, midOf }: MessageNames,
): Generator<void, LineNodes, undefined> {
  const counts = new Map<string, number>()
  const known = new Map<string, Entry>()
  const nodes: MessageNode[] = []
  let time = 0
  for (const { message, line, at, bytes } of messages) {
    const hash = hashOf(message)
    const n = counts.get(hash) ?? 0
    counts.set(hash, n + 1)
    const id = midOf(hash, n)
    const entry = there.take(hash)
    if (entry !== undefined) known.set(id, entry)
    if (at > 0) time = at
    nodes.push({ id, parentId: nodes.at(-1)?.id ?? null, type: 'message', data: { message }, at: time, line, bytes })
    if (nodes.length % stepNodes === 0) yield
  }
  const [first] = nodes
  const last = there.imported.at(-1)
  if (first === undefined || last === undefined || known.has(first.id)) return { nodes, known }
  // Nothing of what was imported stands before it any more: it goes on behind that.
  const before = `before ${first.id}`
  known.set(before, last)
  return { nodes: [{ ...first, parentId: before }, ...nodes.slice(1)], known }
}
