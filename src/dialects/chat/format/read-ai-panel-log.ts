import { isSessionError, SessionError } from '../../../contract/errors.ts'
import type { JsonObject, JsonValue } from '../../../contract/json.ts'
import { canonicalJson } from '../../../domain/canonical-json.ts'
import { hash53 } from '../../../domain/hash53.ts'
import { normaliseJson } from '../../../domain/normalise.ts'
import { isObject } from '../../../formats/is-plain-object.ts'
import type { JsonlLine } from '../../../formats/jsonl-lines.ts'
import type { FileNode } from '../../../formats/store-tree.ts'
import { timeOf } from '../../../formats/time.ts'
import { createPanelContext } from './ai-panel-context.ts'

/** The content of a log of ai-panel. */
export interface AiPanelLog {
  /** From the header. Absent when the header is missing or can't be read. */
  readonly agentId?: string
  /** Milliseconds since 1970. */
  readonly createdAt?: number
  /** Messages and compactions. Each follows the one before. */
  readonly nodes: readonly FileNode[]
}

export interface AiPanelLogReader {
  /** @throws InvalidInput when the log is one of pi */
  take(line: JsonlLine): void
  end(): AiPanelLog
}

/** Lower than the limits of stored entries: an entry is two levels deeper than its line, and has more fields. */
const limits = { maxDepth: 250, maxBytes: 16 * 1024 * 1024 - 64 * 1024, path: 'entry' }

/**
 * Reads a log of ai-panel line by line. Lines that can't be read are skipped and reported. Entries have no ids of their
 * own (the ids in an export count only where a compaction names them), so an entry is identified by its content and
 * time.
 *
 * A compaction keeps everything from its `firstKeptEntryId` on: the id of a line, or `msg-<n>` for the n-th message.
 * Old compactions name `turn-<n>`, the n-th message of the context at that time; copies of the kept messages follow.
 * Each copy is read as the message that it copies.
 */
export function createLogReader(skip: (line: number, reason: string) => void): AiPanelLogReader {
  const nodes: FileNode[] = []
  const messages: FileNode[] = []
  const numbers = new Map<string, number>()
  /** Nodes by the ids on their lines. */
  const named = new Map<string, string>()
  let header: { readonly agentId?: string; readonly createdAt?: number } = {}
  const context = createPanelContext()

  function add(node: Omit<FileNode, 'id' | 'parentId'>, identity: JsonObject, name: JsonValue | undefined): FileNode {
    const hash = hash53(canonicalJson(identity)).toString(36)
    const n = numbers.get(hash) ?? 0
    numbers.set(hash, n + 1)
    const added = { ...node, id: n === 0 ? hash : `${hash}-${n}`, parentId: nodes.at(-1)?.id ?? null }
    nodes.push(added)
    if (typeof name === 'string') named.set(name, added.id)
    return added
  }

  function takeMessage(
    { message, timestamp, id, parentId: _, type: __, ...rest }: JsonObject,
    line: number,
    bytes: number,
  ): void {
    if (!isObject(message) || typeof message['role'] !== 'string' || message['role'] === '')
      throw refusal('its message has no role')
    const said = withContent(message as JsonObject)
    if (context.takeCopy(said)) return
    const node = add(
      { type: 'message', data: { message: said, ...rest }, at: timeOf(timestamp) ?? 0, line, bytes },
      { message: said, timestamp: timestamp ?? null },
      id,
    )
    messages.push(node)
    if (['user', 'assistant'].includes(said['role'] as string)) context.add(node)
  }

  function takeCompaction(
    { timestamp, id, parentId: _, type: __, ...data }: JsonObject,
    line: number,
    bytes: number,
  ): void {
    const { summary = '', firstKeptEntryId: first } = data
    if (typeof summary !== 'string') throw refusal('its summary is not a string')
    const firstKept = context.compact(first)
    add(
      {
        type: 'compaction',
        data: { ...data, summary },
        at: timeOf(timestamp) ?? 0,
        line,
        bytes,
        ...(firstKept === undefined ? {} : { firstKept }),
      },
      { summary, timestamp: timestamp ?? null },
      id,
    )
  }

  return {
    take(line) {
      const found = parseLine(line, skip)
      if (found === undefined) return
      const { fields, bytes } = found
      if (isPiHeader(fields)) throw refusal('it is a log of pi: import it as one')
      try {
        if (fields['type'] === 'message') takeMessage(fields, line.number, bytes)
        else if (fields['type'] === 'compaction') takeCompaction(fields, line.number, bytes)
        else if (fields['type'] !== 'session') throw refusal('ai-panel has no entries of this type')
        else header = headerOf(fields)
      } catch (error) {
        if (!isSessionError(error)) throw error
        skip(line.number, error.message)
      }
    },
    end: () => ({ ...header, nodes: nodes.map((node) => withFirstKept(node, named, messages)) }),
  }
}

/**
 * Parses a line, or skips and reports it. @returns `undefined` for a line without an entry
 */
function parseLine(
  line: JsonlLine,
  skip: (line: number, reason: string) => void,
): { readonly fields: JsonObject; readonly bytes: number } | undefined {
  if (line.isTooLong) return void skip(line.number, `it has ${line.bytes} bytes; the limit is 16 MiB`)
  if (line.text.trim() === '') return undefined
  try {
    const { value, bytes } = normaliseJson(JSON.parse(line.text), limits)
    if (isObject(value)) return { fields: value as JsonObject, bytes }
    return void skip(line.number, 'it contains no entry')
  } catch (error) {
    if (isSessionError(error)) return void skip(line.number, error.message)
    if (!(error instanceof SyntaxError)) throw error
    return void skip(
      line.number,
      line.isTerminated ? 'it is not JSON' : 'it is incomplete: the file ends in the middle of it',
    )
  }
}

const isPiHeader = ({ type, id, agentId }: JsonObject): boolean =>
  type === 'session' && typeof id === 'string' && agentId === undefined

function headerOf({ agentId, createdAt }: JsonObject): { readonly agentId?: string; readonly createdAt?: number } {
  const at = timeOf(createdAt)
  return {
    ...(typeof agentId === 'string' && agentId !== '' ? { agentId } : {}),
    ...(at === undefined ? {} : { createdAt: at }),
  }
}

/** Content is a string or a list of blocks. Anything else is stored as its JSON text. */
function withContent(message: JsonObject): JsonObject {
  const { content } = message
  return typeof content === 'string' || Array.isArray(content) || content === null || content === undefined
    ? message
    : { ...message, content: JSON.stringify(content) }
}

/** A compaction may name a later line, so this runs after all lines were read. */
function withFirstKept(node: FileNode, named: ReadonlyMap<string, string>, messages: readonly FileNode[]): FileNode {
  const first = node.data['firstKeptEntryId']
  if (node.type !== 'compaction' || node.firstKept !== undefined || typeof first !== 'string') return node
  const number = /^msg-(\d{1,9})$/.exec(first)?.[1]
  const firstKept = named.get(first) ?? (number === undefined ? undefined : messages[Number(number) - 1]?.id)
  return firstKept === undefined ? node : { ...node, firstKept }
}

function refusal(reason: string): SessionError {
  return new SessionError('InvalidInput', reason)
}
