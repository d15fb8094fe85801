import type { Entry } from '../../../contract/entry.ts'
import type { JsonObject, JsonValue } from '../../../contract/json.ts'
import type { Message } from '../../../contract/message.ts'
import { entryId } from '../../../domain/address.ts'
import { canonicalJson } from '../../../domain/canonical-json.ts'
import type { ExportNode } from '../../../domain/export-tree.ts'
import type { FoldedEntry } from '../../../domain/fold.ts'
import { isObject } from '../../../formats/is-plain-object.ts'
import { messageSteps } from '../../../formats/message-steps.ts'

/** The lines of a node: one, or as many as its message has steps. */
export interface NodeLines {
  readonly node: ExportNode
  /** The ids of its lines, each the parent of the next. */
  readonly ids: readonly [string, ...string[]]
}

/** The ids of the entries in the file. */
export interface LogIds {
  /** The id of an entry's first line, by which others name it. */
  readonly idOf: ReadonlyMap<FoldedEntry, string>
  /** The id of its last line, which its children follow. */
  readonly endOf: ReadonlyMap<FoldedEntry, string>
}

/**
 * Gives each entry the id from its source, or its address. Entries that two devices imported from one file become one
 * line; any other entry whose id is already used gets its address.
 */
export function identify(nodes: readonly ExportNode[]): LogIds & { readonly lines: readonly NodeLines[] } {
  const idOf = new Map<FoldedEntry, string>()
  const endOf = new Map<FoldedEntry, string>()
  const taken = new Map<string, FoldedEntry>()
  const lines: NodeLines[] = []
  for (const node of nodes) {
    const { entry } = node
    const { mid } = entry.data
    const hasMid = typeof mid === 'string' && mid !== ''
    const other = hasMid ? taken.get(mid) : undefined
    const id = hasMid && (other === undefined || isSame(other, entry)) ? mid : entryId(entry.w, entry.s)
    const same = taken.get(id)
    idOf.set(entry, id)
    if (same !== undefined) {
      endOf.set(entry, endOf.get(same)!)
      continue
    }
    const ids: [string, ...string[]] = [id]
    for (let n = 1; ids.length < entrySteps(entry).length; n++) if (!taken.has(stepId(id, n))) ids.push(stepId(id, n))
    for (const one of ids) taken.set(one, entry)
    endOf.set(entry, ids.at(-1)!)
    lines.push({ node, ids })
  }
  return { lines, idOf, endOf }
}

function isSame(a: Entry, b: Entry): boolean {
  return a.type === b.type && canonicalJson(contentOf(a)) === canonicalJson(contentOf(b))
}

/** An entry's data without the fields that have a meaning only in this log. */
export function contentOf({ type, data }: Pick<Entry, 'type' | 'data'>): JsonObject {
  const { mid: _, ...content } = data
  if (type !== 'compaction') return content
  const { order: __, vv: ___, ...said } = content
  return said
}

/** The messages that an entry is in pi, as it was last edited; none when it is no message. */
export function entrySteps({ type, data, edit }: FoldedEntry): readonly JsonObject[] {
  const { message } = edit?.value ?? data
  return type === 'message' && isObject(message)
    ? (messageSteps(message as unknown as Message, isPiForm) as readonly JsonObject[])
    : []
}

const isPiForm = (form: JsonValue): boolean =>
  isObject(form) && ((form as JsonObject)['type'] === 'toolCall' || (form as JsonObject)['role'] === 'toolResult')

/** The id of a further line of a message. */
const stepId = (id: string, n: number): string => `${id}.${n}`

/** The id of the message that a line with this id may be a further line of. */
export const ownerId = (id: string): string | undefined => /^(.+)\.\d+$/s.exec(id)?.[1]
