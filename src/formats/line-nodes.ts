import type { Entry } from '../contract/entry.ts'
import type { JsonObject } from '../contract/json.ts'
import type { ImportNode } from '../domain/import-node.ts'
import type { MessageNames } from './create-message-names.ts'
import type { KnownMessages } from './known-messages.ts'

/** A message of a file with a single line of messages. */
export interface LineMessage {
  readonly message: JsonObject
  /** Its place in the file, from 1. */
  readonly line: number
  /** Milliseconds since 1970; 0 when it has none. */
  readonly at: number
  /** The size of its JSON in UTF-8 bytes. */
  readonly bytes: number
}

/** A message of the file, as a node of a line. */
interface MessageNode extends ImportNode {
  readonly line: number
  readonly bytes: number
}

export interface LineNodes {
  readonly nodes: readonly MessageNode[]
  /** The stored entries, by node id. */
  readonly known: ReadonlyMap<string, Entry>
}

/** The number of nodes in a step. */
const stepNodes = 16

/**
 * Makes a line from the messages, each after the one before. A message without a time gets that of the one before it.
 * Yields after every few, so that other work can run in between.
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
  // The first message is new, so that the file continues after the imported messages.
  const before = `before ${first.id}`
  known.set(before, last)
  return { nodes: [{ ...first, parentId: before }, ...nodes.slice(1)], known }
}
