import { isSessionError, SessionError } from '../../../contract/errors.ts'
import type { JsonObject, JsonValue } from '../../../contract/json.ts'
import { canonicalJson } from '../../../domain/canonical-json.ts'
import { hash53 } from '../../../domain/hash53.ts'
import { normaliseJson } from '../../../domain/normalise.ts'
import { isObject } from '../../../formats/is-plain-object.ts'
import type { JsonlLine } from '../../../formats/jsonl-lines.ts'
import type { FileNode } from '../../../formats/store-tree.ts'
import { timeOf } from '../../../formats/time.ts'

/** A log of ai-panel, read. */
export interface AiPanelLog {
  /** From the header; absent when that is missing or can't be read. */
  readonly agentId?: string
  /** Milliseconds since 1970. */
  readonly createdAt?: number
  /** Messages and compactions, each after the one before. */
  readonly nodes: readonly FileNode[]
}

export interface AiPanelLogReader {
  /** @throws InvalidInput when the log is one of pi */
  take(line: JsonlLine): void
  end(): AiPanelLog
}

/** An entry of ours goes two levels deeper than its line, and says more than that. */
const limits = { maxDepth: 250, maxBytes: 16 * 1024 * 1024 - 64 * 1024, path: 'entry' }

/**
 * Reads a log of ai-panel line by line; what can't be read is skipped and reported. Its entries have no ids of their
 * own (those that an export numbers count only where a compaction names them): one is known by what it says and when.
 *
 * A compaction keeps what its `firstKeptEntryId` names: a line's id, or for `msg-<n>` the n-th message. An old one says
 * `turn-<n>` and is followed by copies of what it keeps: from the n-th message on of those that were in the context.
 * They are taken as what they are copies of.
 */
export function createLogReader(skip: (line: number, reason: string) => void): AiPanelLogReader {
  const nodes: FileNode[] = []
  const messages: FileNode[] = []
  const numbers = new Map<string, number>()
  /** Nodes by the ids on their lines. */
  const named = new Map<string, string>()
  let header: { readonly agentId?: string; readonly createdAt?: number } = {}
  /** Messages since the last compaction, with those it keeps: what ai-panel's own code counts. */
  let context: FileNode[] = []
  let copies: readonly FileNode[] = []

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
    const [copied, ...others] = copies
    if (copied !== undefined) {
      const isCopy = canonicalJson(copied.data['message'] as JsonObject) === canonicalJson(said)
      copies = isCopy ? others : []
      if (isCopy) return void context.push(copied)
    }
    const node = add(
      { type: 'message', data: { message: said, ...rest }, at: timeOf(timestamp) ?? 0, line, bytes },
      { message: said, timestamp: timestamp ?? null },
      id,
    )
    messages.push(node)
    if (['user', 'assistant'].includes(said['role'] as string)) context.push(node)
  }

  function takeCompaction(
    { timestamp, id, parentId: _, type: __, ...data }: JsonObject,
    line: number,
    bytes: number,
  ): void {
    const { summary = '', firstKeptEntryId: first } = data
    if (typeof summary !== 'string') throw refusal('its summary is no text')
    const turn = typeof first === 'string' ? /^turn-(\d{1,9})$/.exec(first)?.[1] : undefined
    const kept = turn === undefined ? [] : context.slice(Number(turn))
    const firstKept = kept[0]?.id
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
    copies = kept
    context = []
  }

  return {
    take(line) {
      if (line.isTooLong) return skip(line.number, `it has ${line.bytes} bytes, and a line may have 16 MiB`)
      if (line.text.trim() === '') return
      try {
        const { value, bytes } = normaliseJson(JSON.parse(line.text), limits)
        if (!isObject(value)) throw refusal('it holds no entry')
        const found = value as JsonObject
        if (found['type'] === 'message') takeMessage(found, line.number, bytes)
        else if (found['type'] === 'compaction') takeCompaction(found, line.number, bytes)
        else if (found['type'] !== 'session') throw refusal('its type is none that ai-panel has')
        else if (typeof found['id'] === 'string' && found['agentId'] === undefined) throw new TypeError('a log of pi')
        else header = headerOf(found)
      } catch (error) {
        if (isSessionError(error)) skip(line.number, error.message)
        else if (error instanceof SyntaxError)
          skip(line.number, line.isTerminated ? 'it is not JSON' : 'it is torn: the file ends in the middle of it')
        else if (error instanceof TypeError) throw refusal('it is a log of pi: import it as one')
        else throw error
      }
    },
    end: () => ({ ...header, nodes: nodes.map((node) => withFirstKept(node, named, messages)) }),
  }
}

function headerOf({ agentId, createdAt }: JsonObject): { readonly agentId?: string; readonly createdAt?: number } {
  const at = timeOf(createdAt)
  return {
    ...(typeof agentId === 'string' && agentId !== '' ? { agentId } : {}),
    ...(at === undefined ? {} : { createdAt: at }),
  }
}

/** Content is text or a list of blocks; anything else becomes its JSON. */
function withContent(message: JsonObject): JsonObject {
  const { content } = message
  return typeof content === 'string' || Array.isArray(content) || content === null || content === undefined
    ? message
    : { ...message, content: JSON.stringify(content) }
}

/** A compaction may name a line that comes after it, so all of them must have been read. */
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
