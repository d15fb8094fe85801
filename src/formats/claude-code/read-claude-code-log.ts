import { isSessionError, SessionError } from '../../contract/errors.ts'
import { contentHash } from '../conversation/content-nodes.ts'
import type { Conversation, ConversationNode } from '../conversation/conversation.ts'
import { createSizeGuard, heldLimits } from '../create-size-guard.ts'
import { timeOf } from '../time.ts'
import { type ReadLine, readLine } from './read-claude-code-line.ts'

type Fields = Readonly<Record<string, unknown>>

/** A session of a log while it is being read. */
interface OpenSession {
  readonly id: string
  readonly nodes: ConversationNode[]
  readonly about: Record<string, unknown>
  /** The last node of the main thread. */
  current: string | undefined
  /** The last node of each side chain, by its agent. */
  readonly sides: Map<string, string>
  /** Counts what it holds. @throws TooLarge */
  readonly hold: (bytes: number) => void
}

export interface ClaudeCodeReader {
  /** Takes one line. @param bytes - of its text. @returns why it can't be taken */
  take(value: Fields, line: number, bytes: number): string | undefined
  /** The sessions, in the order in which they begin. */
  end(): readonly Conversation[]
}

/**
 * Reads a log of Claude Code: a file may hold lines of several sessions. A line without uuid is known by what it says,
 * and follows the one before it in its session. So does one whose parent is missing: after `/compact`, when a session
 * is resumed, behind a torn line, in logs that chain nothing. Only lines with one parent are siblings. Sidechains
 * (other agents' threads) are trees of their own and never the current one. A `summary` line names the session that has
 * its leaf. What is held in memory is bounded: a session that is too large, or one line more than the file may have, is
 * given up, and the others go on.
 *
 * @param leaveOut - told of each session that was given up, once
 */
export function createClaudeCodeReader(leaveOut: (error: SessionError) => void): ClaudeCodeReader {
  const holdAll = createSizeGuard({ entries: 2 * heldLimits.entries, bytes: 2 * heldLimits.bytes })
  const tooLarge = new Set<string>()
  const sessions = new Map<string, OpenSession>()
  const owners = new Map<string, OpenSession>()
  const counts = new Map<string, number>()
  const summaries: { readonly leaf: string; readonly text: string }[] = []

  function sessionOf(id: string): OpenSession {
    const there = sessions.get(id)
    if (there !== undefined) return there
    const session: OpenSession = {
      id,
      nodes: [],
      about: {},
      current: undefined,
      sides: new Map(),
      hold: createSizeGuard(),
    }
    sessions.set(id, session)
    return session
  }

  function giveUp(id: string, error: SessionError): void {
    tooLarge.add(id)
    for (const node of sessions.get(id)?.nodes ?? []) owners.delete(node.id)
    sessions.delete(id)
    leaveOut(new SessionError('TooLarge', `session ${JSON.stringify(id)}: ${error.message}`))
  }

  /** A hash of the line, and its number among equal ones of its session. */
  function lineId(session: string, value: Fields): string {
    const hash = contentHash(JSON.stringify(value))
    const n = (counts.get(`${session} ${hash}`) ?? 0) + 1
    counts.set(`${session} ${hash}`, n)
    return n === 1 ? `line-${hash}` : `line-${hash}~${n}`
  }

  function add(session: OpenSession, value: Fields, read: ReadLine, line: number): void {
    const { uuid, parentUuid: parent, logicalParentUuid: logical, isSidechain, agentId } = value
    const id = typeof uuid === 'string' && uuid !== '' ? uuid : lineId(session.id, value)
    const named = [parent, logical].find((one) => typeof one === 'string' && one !== '') as string | undefined
    const agent = isSidechain === true ? `agent ${typeof agentId === 'string' ? agentId : ''}` : undefined
    const follows = agent === undefined ? session.current : session.sides.get(agent)
    // Another agent's thread that names nobody begins with a `null`.
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
      // Another file's thread of an agent is another one.
      ...(agent === undefined ? {} : { isBeginning: true }),
    })
    owners.set(id, session)
    if (agent === undefined) session.current = id
    else session.sides.set(agent, id)
    for (const field of ['cwd', 'gitBranch', 'version']) {
      if (typeof value[field] === 'string' && value[field] !== '') session.about[field] ??= value[field]
    }
  }

  return {
    take(value, line, bytes) {
      const { type, sessionId, leafUuid: leaf, summary } = value
      if (type === 'summary') {
        if (typeof leaf === 'string' && typeof summary === 'string') summaries.push({ leaf, text: summary })
        return undefined
      }
      const read = readLine(value)
      if (read === undefined) return undefined
      if (typeof sessionId !== 'string' || sessionId.trim() === '') return 'it has no sessionId'
      const id = sessionId.trim()
      if (tooLarge.has(id)) return undefined
      try {
        holdAll(bytes)
        sessionOf(id).hold(bytes)
      } catch (error) {
        if (!isSessionError(error, 'TooLarge')) throw error
        giveUp(id, error)
        return undefined
      }
      add(sessionOf(id), value, read, line)
      return undefined
    },
    end() {
      const titles = new Map<OpenSession, string>()
      for (const { leaf, text } of summaries) {
        const session = owners.get(leaf)
        if (session !== undefined) titles.set(session, text)
      }
      return [...sessions.values()].map((session): Conversation => {
        const { id, nodes, about, current } = session
        const times = nodes.map(({ at }) => at).filter((at) => at > 0)
        const title = titles.get(session)
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
      })
    },
  }
}
