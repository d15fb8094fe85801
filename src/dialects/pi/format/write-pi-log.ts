import type { Entry } from '../../../contract/entry.ts'
import type { JsonObject } from '../../../contract/json.ts'
import type { SessionMeta } from '../../../contract/meta.ts'
import { entryId } from '../../../domain/address.ts'
import { canonicalJson } from '../../../domain/canonical-json.ts'
import { isControl } from '../../../domain/control.ts'
import type { ExportNode } from '../../../domain/export-tree.ts'
import { type FoldedEntry, foldView } from '../../../domain/fold.ts'
import { lineOf } from '../../../domain/line.ts'
import { summaryOf } from '../../../domain/summary.ts'
import { covers } from '../../../domain/version-vector.ts'
import { isObject } from '../../../formats/is-plain-object.ts'
import { isoStart, isoText } from '../../../formats/time.ts'
import { visibleTree } from '../../../formats/visible-tree.ts'
import { inheritCompactions } from './inherit-compactions.ts'
import { piMessage } from './pi-message.ts'
import { renameReferences } from './rename-references.ts'

/** A line to be written, with its node. */
interface Line {
  readonly node: ExportNode
  readonly id: string
}

/**
 * Writes a session as a log of pi, version 3: the header, then every entry that is visible on any line, after its
 * parent. The last entry of the current line comes at the end, because pi continues there. Entries from such a log are
 * written unchanged. Others get the address of the entry as id, and a form that pi reads; references between entries
 * use the ids of the file. A summary or a title that is in no entry gets one at the end.
 */
export function* writeLog(meta: SessionMeta, entries: readonly Entry[]): Generator<JsonObject, void, undefined> {
  yield headerOf(meta)
  const tree = visibleTree(entries)
  const nodes = inheritCompactions(tree)
  const { lines, idOf } = identify(nodes)
  const nameOf = namesIn(idOf)
  const nodeOf = new Map(nodes.map((node) => [node.entry, node]))
  const toolNames = new Map<string, string>()
  const render = ({ node, id }: Line): JsonObject => {
    const { entry, parent, parentId } = node
    const from = parent === undefined ? (parentId ?? null) : idOf.get(parent)!
    const kept = entry.type === 'compaction' ? firstKept(node, id, nodeOf, idOf, nameOf) : undefined
    return lineOfEntry(entry, { id, parentId: from }, kept, { toolNames, nameOf })
  }
  const last = lines.findIndex(({ node }) => node.entry === tree.leaf)
  for (const [i, line] of lines.entries()) if (i !== last) yield render(line)
  if (last >= 0) yield render(lines[last]!)
  yield* closingLines(meta, tree, idOf)
}

function headerOf({ id, createdAt, custom }: SessionMeta): JsonObject {
  const fields = (isObject(custom['pi']) ? custom['pi'] : {}) as JsonObject
  return {
    type: 'session',
    version: 3,
    id,
    timestamp: isoText(createdAt) ?? isoStart,
    cwd: '',
    ...withoutVersion(fields),
  }
}

function withoutVersion({ version: _, ...fields }: JsonObject): JsonObject {
  return fields
}

/**
 * Gives each entry the id from its source, or its address. Entries that two devices imported from one file become one
 * line; any other entry whose id is already used gets its address.
 */
function identify(nodes: readonly ExportNode[]): {
  readonly lines: readonly Line[]
  readonly idOf: ReadonlyMap<FoldedEntry, string>
} {
  const idOf = new Map<FoldedEntry, string>()
  const taken = new Map<string, FoldedEntry>()
  const lines: Line[] = []
  for (const node of nodes) {
    const { entry } = node
    const { mid } = entry.data
    const hasMid = typeof mid === 'string' && mid !== ''
    const other = hasMid ? taken.get(mid) : undefined
    const id = hasMid && (other === undefined || isSame(other, entry)) ? mid : entryId(entry.w, entry.s)
    idOf.set(entry, id)
    if (taken.has(id)) continue
    taken.set(id, entry)
    lines.push({ node, id })
  }
  return { lines, idOf }
}

/**
 * Finds the id of an entry in the file by the names with which entries refer to each other: its id there, its address,
 * or the id of its host.
 *
 * @returns `undefined` for one that is not in the file
 */
function namesIn(idOf: ReadonlyMap<FoldedEntry, string>): LogNames['nameOf'] {
  const names = new Map<string, string>()
  const name = (said: unknown, id: string): void =>
    void (typeof said === 'string' && !names.has(said) && names.set(said, id))
  for (const id of idOf.values()) name(id, id)
  for (const [{ w, s }, id] of idOf) name(entryId(w, s), id)
  for (const [{ data }, id] of idOf) name(data['mid'], id)
  return (said) => names.get(said)
}

function isSame(a: Entry, b: Entry): boolean {
  return a.type === b.type && canonicalJson(contentOf(a)) === canonicalJson(contentOf(b))
}

/** An entry's data without the fields that have a meaning only in this log. */
function contentOf({ type, data }: Entry): JsonObject {
  const { mid: _, ...content } = data
  if (type !== 'compaction') return content
  const { order: __, vv: ___, ...said } = content
  return said
}

interface LogNames {
  /** Names of tool calls so far, by their ids. */
  readonly toolNames: Map<string, string>
  readonly nameOf: (id: string) => string | undefined
}

function lineOfEntry(
  entry: FoldedEntry,
  { id, parentId }: { readonly id: string; readonly parentId: string | null },
  kept: string | undefined,
  { toolNames, nameOf }: LogNames,
): JsonObject {
  const { at, edit } = entry
  const isOwn = entry.data['mid'] === undefined
  // An import renames types that have a meaning here.
  const foreign = /^foreign-(.*)$/.exec(entry.type)?.[1]
  const type = foreign !== undefined && isControl(foreign) ? foreign : entry.type
  let data = renameReferences(type, contentOf(edit?.value ? { ...entry, data: edit.value } : entry), nameOf)
  if (type === 'message' && isObject(data['message']) && (isOwn || isForeign(data['message'] as JsonObject))) {
    data = { ...data, message: piMessage(data['message'] as JsonObject, at, toolNames) }
  }
  if (type === 'compaction')
    data = { ...(isOwn ? { tokensBefore: 0 } : {}), ...data, ...(kept === undefined ? {} : { firstKeptEntryId: kept }) }
  const time = isoText(at)
  const timestamp = time === undefined ? {} : { timestamp: time }
  const place = { type, id, parentId }
  return { ...place, ...timestamp, ...data, ...place }
}

/** Whether a message is certainly not from pi. */
function isForeign({ role, content, tool_calls: calls }: JsonObject): boolean {
  return role === 'tool' || (role === 'assistant' && (!Array.isArray(content) || calls !== undefined))
}

/**
 * The first entry before a compaction that stays in the context: the one that its source named, if that is still there,
 * otherwise the first entry on its line that it doesn't hide. If it hides all of them, its own id, which is on no path
 * before it.
 */
function firstKept(
  { entry, parent }: ExportNode,
  id: string,
  nodeOf: ReadonlyMap<FoldedEntry, ExportNode>,
  idOf: ReadonlyMap<FoldedEntry, string>,
  nameOf: LogNames['nameOf'],
): string | undefined {
  const { order, vv, firstKeptEntryId, mid } = entry.data as {
    order: string
    vv: Record<string, number>
    firstKeptEntryId?: string
    mid?: string
  }
  const said = firstKeptEntryId === undefined ? undefined : (nameOf(firstKeptEntryId) ?? firstKeptEntryId)
  let kept: string | undefined
  let isOnPath = false
  for (let above = parent; above !== undefined; above = nodeOf.get(above)?.parent) {
    if (idOf.get(above) === said) isOnPath = true
    const isHidden = above.type === 'compaction' || (above.order <= order && covers(vv, above.w, above.s))
    if (!isHidden) kept = idOf.get(above)
  }
  // An imported value that names no entry on the path, or is missing, stays as it is.
  if (isOnPath || (mid !== undefined && kept === undefined)) return said
  return kept ?? id
}

/** Lines for the summary and the title, if no entry contains them. */
function* closingLines(
  meta: SessionMeta,
  { fold, nodes, leaf }: ReturnType<typeof visibleTree>,
  idOf: ReadonlyMap<FoldedEntry, string>,
): Generator<JsonObject, void, undefined> {
  const { cold, head } = fold
  const timestamp = isoText(meta.updatedAt) ?? isoStart
  let parentId = leaf === undefined ? null : idOf.get(leaf)!
  const line = lineOf(cold, head)
  const summary = line === undefined ? '' : summaryOf(cold, line)
  const isSaid = line?.compaction !== undefined && line.compaction.cut.clock > (cold.fields['summary']?.[0] ?? '')
  if (summary.trim() !== '' && !isSaid) {
    const [kept] = foldView(fold, head, 'context')
    const first = nodes.find(({ entry }) => entry.order === kept?.order)?.entry
    const id = freeId('summary', idOf)
    yield {
      type: 'compaction',
      id,
      parentId,
      timestamp,
      summary,
      firstKeptEntryId: (first && idOf.get(first)) ?? id,
      tokensBefore: 0,
    }
    parentId = id
  }
  const named = nodes.findLast(({ entry }) => entry.type === 'session_info')?.entry.data['name']
  if (meta.titleSource === 'user' && meta.title !== (typeof named === 'string' ? named.trim() : undefined)) {
    yield { type: 'session_info', id: freeId('title', idOf), parentId, timestamp, name: meta.title }
  }
}

function freeId(name: string, idOf: ReadonlyMap<FoldedEntry, string>): string {
  const taken = new Set(idOf.values())
  for (let n = 0; ; n++) {
    const id = n === 0 ? name : `${name}-${n}`
    if (!taken.has(id)) return id
  }
}
