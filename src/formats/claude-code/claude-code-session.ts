import { contentHash } from '../conversation/content-nodes.ts'
import type { Conversation, ConversationNode } from '../conversation/conversation.ts'
import { createSizeGuard } from '../create-size-guard.ts'
import { timeOf } from '../time.ts'
import type { ReadLine } from './read-claude-code-line.ts'

type Fields = Readonly<Record<string, unknown>>

/** A session of a log while it is being read. */
export interface OpenSession {
  readonly id: string
  readonly nodes: ConversationNode[]
  readonly about: Record<string, unknown>
  /** The last node of the main thread. */
  current: string | undefined
  /** The last node of each side chain, by its agent. */
  readonly sides: Map<string, string>
  /** How often each hash of a line without uuid occurred. */
  readonly hashes: Map<string, number>
  /** Counts the bytes in memory. @throws TooLarge */
  readonly hold: (bytes: number) => void
}

export const openSession = (id: string): OpenSession => ({
  id,
  nodes: [],
  about: {},
  current: undefined,
  sides: new Map(),
  hashes: new Map(),
  hold: createSizeGuard(),
})

/** Adds a line to its session. @returns the id of its node */
export function addLine(session: OpenSession, value: Fields, read: ReadLine, line: number): string {
  const { uuid, parentUuid: parent, logicalParentUuid: logical, isSidechain, agentId } = value
  const id = typeof uuid === 'string' && uuid !== '' ? uuid : lineId(session, value)
  const named = [parent, logical].find((one) => typeof one === 'string' && one !== '') as string | undefined
  const agent = isSidechain === true ? `agent ${typeof agentId === 'string' ? agentId : ''}` : undefined
  const follows = agent === undefined ? session.current : session.sides.get(agent)
  // In a sidechain without an agent, a parent of `null` marks the beginning of another thread.
  const isBegun = agent === 'agent ' && parent === null
  const parentId = named ?? (isBegun ? null : (follows ?? null))
  session.nodes.push({
    id,
    parentId,
    type: read.type,
    at: timeOf(value['timestamp']) ?? 0,
    line,
    ...(read.data === undefined ? {} : { data: read.data }),
    ...(named === undefined || follows === undefined ? {} : { follows }),
    // An agent's thread in another file is another thread.
    ...(agent === undefined ? {} : { isBeginning: true }),
  })
  if (agent === undefined) session.current = id
  else session.sides.set(agent, id)
  for (const field of ['cwd', 'gitBranch', 'version']) {
    if (typeof value[field] === 'string' && value[field] !== '') session.about[field] ??= value[field]
  }
  return id
}

/** A hash of the line, with a number when the session has several equal lines. */
function lineId({ hashes }: OpenSession, value: Fields): string {
  const hash = contentHash(JSON.stringify(value))
  const n = (hashes.get(hash) ?? 0) + 1
  hashes.set(hash, n)
  return n === 1 ? `line-${hash}` : `line-${hash}~${n}`
}

export function conversationOf({ id, nodes, about, current }: OpenSession, title: string | undefined): Conversation {
  const times = nodes.map(({ at }) => at).filter((at) => at > 0)
  return {
    dialect: 'claude-code',
    sourceId: id,
    ...(title === undefined ? {} : { title }),
    createdAt: times.reduce((first, at) => Math.min(first, at), times[0] ?? 0),
    updatedAt: times.reduce((last, at) => Math.max(last, at), 0),
    custom: about,
    nodes,
    current: current ?? null,
  }
}
