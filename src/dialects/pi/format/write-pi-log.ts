import type { Entry } from '../../../contract/entry.ts'
import type { JsonObject } from '../../../contract/json.ts'
import type { SessionMeta } from '../../../contract/meta.ts'
import { entryId } from '../../../domain/address.ts'
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
import { contentOf, entrySteps, identify, type LogIds, type NodeLines } from './pi-line-ids.ts'
import { piMessage } from './pi-message.ts'
import { renameReferences } from './rename-references.ts'

/**
 * Writes a session as a log of pi, version 3: the header, then every entry that is visible on any line, after its
 * parent. The last entry of the current line comes at the end, because pi continues there. Entries from such a log are
 * written unchanged. Others get the address of the entry as id, and a form that pi reads, in which a message of several
 * steps is several lines; references between entries use the ids of the file. A summary or a title that is in no entry
 * gets one at the end.
 */
export function* writeLog(meta: SessionMeta, entries: readonly Entry[]): Generator<JsonObject, void, undefined> {
  yield headerOf(meta)
  const tree = visibleTree(entries)
  const nodes = inheritCompactions(tree)
  const { lines, idOf, endOf } = identify(nodes)
  const nameOf = namesIn(idOf)
  const nodeOf = new Map(nodes.map((node) => [node.entry, node]))
  const toolNames = new Map<string, string>()
  const render = ({ node, ids }: NodeLines): readonly JsonObject[] => {
    const { entry, parent, parentId } = node
    const from = parent === undefined ? (parentId ?? null) : endOf.get(parent)!
    const kept = entry.type === 'compaction' ? firstKept(node, ids[0], nodeOf, idOf, nameOf) : undefined
    return linesOfEntry(entry, { ids, parentId: from }, kept, { toolNames, nameOf })
  }
  const last = lines.findIndex(({ node }) => node.entry === tree.leaf)
  for (const [i, line] of lines.entries()) if (i !== last) yield* render(line)
  if (last >= 0) yield* render(lines[last]!)
  yield* closingLines(meta, tree, { idOf, endOf })
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

interface LogNames {
  /** Names of tool calls so far, by their ids. */
  readonly toolNames: Map<string, string>
  readonly nameOf: (id: string) => string | undefined
}

/** @param kept - the first entry that a compaction keeps */
function linesOfEntry(
  entry: FoldedEntry,
  { ids, parentId }: Pick<NodeLines, 'ids'> & { readonly parentId: string | null },
  kept: string | undefined,
  { toolNames, nameOf }: LogNames,
): readonly JsonObject[] {
  const { at, edit } = entry
  const isOwn = entry.data['mid'] === undefined
  // An import renames types that have a meaning here.
  const foreign = /^foreign-(.*)$/.exec(entry.type)?.[1]
  const type = foreign !== undefined && isControl(foreign) ? foreign : entry.type
  const data: JsonObject = {
    ...(type === 'compaction' && isOwn ? { tokensBefore: 0 } : {}),
    ...renameReferences(type, contentOf(edit?.value ? { ...entry, data: edit.value } : entry), nameOf),
    ...(kept === undefined ? {} : { firstKeptEntryId: kept }),
  }
  const time = isoText(at)
  const timestamp = time === undefined ? {} : { timestamp: time }
  const stored = data['message']
  const steps = entrySteps(entry)
  return ids.map((id, i) => {
    const place = { type, id, parentId: i === 0 ? parentId : ids[i - 1]! }
    const step = steps[i]
    const isPis = step === undefined || (step === stored && !isOwn && !isForeign(step))
    const said = isPis ? {} : { message: piMessage(step, at, toolNames) }
    return { ...place, ...timestamp, ...(i === 0 ? data : {}), ...said, ...place }
  })
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
  { idOf, endOf }: LogIds,
): Generator<JsonObject, void, undefined> {
  const { cold, head } = fold
  const timestamp = isoText(meta.updatedAt) ?? isoStart
  let parentId = leaf === undefined ? null : endOf.get(leaf)!
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
