import { isSessionError, SessionError } from '../../contract/errors.ts'
import { createSizeGuard, heldLimits } from '../create-size-guard.ts'
import type { LogReader } from '../log-reader.ts'
import { addLine, conversationOf, type OpenSession, openSession } from './claude-code-session.ts'
import { readLine } from './read-claude-code-line.ts'

/**
 * Reads a log of Claude Code. A file may contain lines of several sessions. A line without uuid gets an id from its
 * content, and follows the line before it in its session. So does a line whose parent is missing: after `/compact`, in
 * a resumed session, after a torn line, and in logs without parents. Only lines that name the same parent are siblings.
 * Sidechains (threads of other agents) are separate trees and never the current one. A `summary` line is the title of
 * the session that contains its leaf. Memory is bounded: a session that is too large, or one line more than a file may
 * have, drops that session, and reading continues with the others.
 *
 * @param leaveOut - gets the error of each dropped session, once
 */
export function createClaudeCodeReader(leaveOut: (error: SessionError) => void): LogReader {
  const holdAll = createSizeGuard({ entries: 2 * heldLimits.entries, bytes: 2 * heldLimits.bytes })
  const tooLarge = new Set<string>()
  const sessions = new Map<string, OpenSession>()
  const owners = new Map<string, OpenSession>()
  const summaries: { readonly leaf: string; readonly text: string }[] = []

  function sessionOf(id: string): OpenSession {
    const there = sessions.get(id)
    if (there !== undefined) return there
    const session = openSession(id)
    sessions.set(id, session)
    return session
  }

  function giveUp(id: string, error: SessionError): void {
    tooLarge.add(id)
    for (const node of sessions.get(id)?.nodes ?? []) owners.delete(node.id)
    sessions.delete(id)
    leaveOut(new SessionError('TooLarge', `session ${JSON.stringify(id)}: ${error.message}`))
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
      const session = sessionOf(id)
      owners.set(addLine(session, value, read, line), session)
      return undefined
    },
    end() {
      const titles = new Map<OpenSession, string>()
      for (const { leaf, text } of summaries) {
        const session = owners.get(leaf)
        if (session !== undefined) titles.set(session, text)
      }
      return [...sessions.values()].map((session) => conversationOf(session, titles.get(session)))
    },
  }
}
