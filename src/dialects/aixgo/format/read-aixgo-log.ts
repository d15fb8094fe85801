import { isSessionError, SessionError } from '../../../contract/errors.ts'
import type { JsonObject } from '../../../contract/json.ts'
import { normaliseJson } from '../../../domain/normalise.ts'
import { createBridge, type Gap, readGap } from '../../../formats/gaps.ts'
import { isObject } from '../../../formats/is-plain-object.ts'
import type { JsonlLine } from '../../../formats/jsonl-lines.ts'
import type { FileNode } from '../../../formats/store-tree.ts'
import { isWrittenAs, timeOf } from '../../../formats/time.ts'
import { fromAixgo } from './aixgo-message.ts'

/** Lower than the limits of stored entries, because an entry is two levels deeper than its line and has more fields. */
const limits = { maxDepth: 250, maxBytes: 16 * 1024 * 1024 - 64 * 1024, path: 'entry' }

export interface AixgoLogReader {
  take(line: JsonlLine): void
  /** Entries in the order of the file. */
  end(): readonly FileNode[]
}

/**
 * Reads the entries of a session, line by line. Entries of type `message` become messages; entries of type
 * `checkpoint`, `metadata` and any other type keep their places but are not messages. A line that is incomplete, too
 * long or not JSON is skipped: its children become children of the entry before it, and so do entries whose parent is
 * not in the log. In a log without any parents, each entry follows the one before.
 */
export function createLogReader(skip: (line: number, reason: string) => void): AixgoLogReader {
  const nodes: FileNode[] = []
  const ids = new Set<string>()
  const gaps: Gap[] = []
  const gapsBefore = new Map<number, Gap>()
  const leaveOut = ({ number, text }: JsonlLine, reason: string): void => {
    skip(number, reason)
    const gap = readGap(text, nodes.at(-1)?.id ?? null)
    gaps.push(gap)
    gapsBefore.set(nodes.length, gap)
  }
  return {
    take(line) {
      if (line.isTooLong) return leaveOut(line, `it has ${line.bytes} bytes; the limit is 16 MiB`)
      if (line.text.trim() === '') return
      try {
        const node = parseEntry(JSON.parse(line.text), line.number)
        if (ids.has(node.id)) return skip(line.number, `its id ${JSON.stringify(node.id)} was used before`)
        ids.add(node.id)
        nodes.push(node)
      } catch (error) {
        if (isSessionError(error)) leaveOut(line, error.message)
        else if (error instanceof SyntaxError)
          leaveOut(line, line.isTerminated ? 'it is not JSON' : 'it is incomplete: the file ends in the middle of it')
        else throw error
      }
    },
    end() {
      const bridge = createBridge(gaps, (id) => ids.has(id))
      const isChained = nodes.some(({ parentId }) => parentId !== null)
      return nodes.map((node, i) => {
        const { parentId } = node
        const before = nodes[i - 1]?.id
        // In a log with parents, an entry without one is the first after a restore to the empty session.
        if (parentId === null) return isChained || before === undefined ? node : { ...node, parentId: before }
        if (ids.has(parentId)) return node
        const above = bridge(parentId, gapsBefore.get(i)) ?? before
        return above === undefined ? node : { ...node, parentId: above }
      })
    },
  }
}

function parseEntry(found: unknown, line: number): FileNode {
  const { value, bytes } = normaliseJson(found, limits)
  if (!isObject(value)) throw refusal('it contains no entry')
  const { id, parentId, timestamp, type, data } = value as JsonObject
  if (typeof id !== 'string' || id === '') throw refusal('its entry has no id')
  if (typeof type !== 'string' || type === '') throw refusal('its entry has no type')
  const said = isObject(data) ? (data as JsonObject) : {}
  const message = type === 'message' ? fromAixgo(said) : undefined
  const at = timeOf(timestamp) ?? 0
  // The original text is kept if it has digits that a date would lose.
  const time = typeof timestamp !== 'string' || isWrittenAs(at, timestamp) ? {} : { timestamp }
  return {
    id,
    parentId: typeof parentId === 'string' && parentId !== '' ? parentId : null,
    type: type === 'message' && message === undefined ? 'message_without_type' : type,
    data: message === undefined ? { data: said, ...time } : { message, ...time },
    at,
    line,
    bytes,
  }
}

function refusal(reason: string): SessionError {
  return new SessionError('InvalidInput', reason)
}
