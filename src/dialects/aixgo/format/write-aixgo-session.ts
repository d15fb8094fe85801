import type { Entry } from '../../../contract/entry.ts'
import { isSessionError } from '../../../contract/errors.ts'
import type { JsonObject, JsonValue } from '../../../contract/json.ts'
import type { Message } from '../../../contract/message.ts'
import type { SessionMeta } from '../../../contract/meta.ts'
import { entryId } from '../../../domain/address.ts'
import type { FoldedEntry } from '../../../domain/fold.ts'
import { lineAt, segmentOf } from '../../../domain/line.ts'
import { goJson } from '../../../formats/go-json.ts'
import { goTime } from '../../../formats/go-time.ts'
import { isObject } from '../../../formats/is-plain-object.ts'
import { sayInContent } from '../../../formats/say-in-content.ts'
import { timeOf } from '../../../formats/time.ts'
import { visibleTree } from '../../../formats/visible-tree.ts'
import { checksumOf, pathIds } from './aixgo-checkpoint.ts'
import { toAixgo } from './aixgo-message.ts'
import { pathComponent } from './path-component.ts'

/** A session in the form in which Aixgo stores it. */
export interface AixgoSession {
  readonly agentName: string
  readonly id: string
  /** Its row of the index. */
  readonly row: JsonObject
  /** The lines of its log, parents first. */
  readonly lines: readonly string[]
  /** Its checkpoints, by id. */
  readonly checkpoints: ReadonlyMap<string, string>
}

/**
 * Converts a session to Aixgo's form, with all its branches. Entries other than messages get the type `metadata`. A
 * checkpoint's checksum covers the entries from the first to its own; a checkpoint whose entry is not visible any more
 * is left out.
 *
 * @throws InvalidPathComponent when its agent or its id can't be part of a path
 */
export function aixgoSession(meta: SessionMeta, entries: readonly Entry[]): AixgoSession {
  const agentName = pathComponent(meta.agentId ?? 'main', 'agent name')
  const id = pathComponent(meta.id, 'session ID')
  const { fold, nodes, leaf } = visibleTree(entries)
  const idOf = new Map<FoldedEntry, string>()
  const taken = new Map<string, { readonly parentId: string | null }>()
  const lines: string[] = []
  for (const { entry, parent, parentId: named } of nodes) {
    const mid = entry.data['mid']
    const own = typeof mid === 'string' && mid !== '' && !taken.has(mid) ? mid : entryId(entry.w, entry.s)
    idOf.set(entry, own)
    const parentId = parent === undefined ? (named ?? null) : idOf.get(parent)!
    taken.set(own, { parentId })
    lines.push(`${goJson(lineOf(entry, own, parentId))}\n`)
  }
  const current = leaf === undefined ? undefined : idOf.get(leaf)
  const path = new Set(current === undefined ? [] : pathIds(taken, current))
  const messageCount = nodes.filter(({ entry }) => entry.type === 'message' && path.has(idOf.get(entry)!)).length
  const checkpoints = new Map<string, string>()
  for (const entry of entries.filter(({ type }) => type === 'checkpoint')) {
    if (fold.cold.targets[`checkpoint:${entryId(entry.w, entry.s)}`]?.['deleted']?.[1] === true) continue
    const target = targetOf(
      entry,
      fold.cold,
      nodes.map((node) => node.entry),
    )
    if (target === undefined && entry.data['order'] !== '') continue
    const said = checkpointForm(entry, id, target === undefined ? [] : pathIds(taken, idOf.get(target)!))
    try {
      checkpoints.set(pathComponent(said['id'] as string, 'checkpoint ID'), goJson(said, 2))
    } catch (error) {
      if (!isSessionError(error, 'InvalidPathComponent')) throw error
    }
  }
  return { agentName, id, row: rowOf(meta, agentName, id, messageCount, current), lines, checkpoints }
}

function lineOf(entry: FoldedEntry, id: string, parentId: string | null): JsonObject {
  const { type, at } = entry
  const { mid, timestamp, ...content } = entry.edit?.value ? { ...entry.data, ...entry.edit.value } : entry.data
  const time = typeof timestamp === 'string' ? timestamp : goTime(at)
  const head = { id, ...(parentId === null ? {} : { parentId }), timestamp: time }
  if (type === 'message') {
    const message = sayInContent(content['message'] as JsonObject as unknown as Message) as unknown as JsonObject
    return { ...head, type, data: sorted(toAixgo(message, id, at)) }
  }
  if (type === 'message_without_type') return { ...head, type: 'message', data: sorted(content['data'] ?? {}) }
  if (mid !== undefined && isObject(content['data']) && Object.keys(content).length === 1)
    return { ...head, type: type.replace(/^foreign-/, ''), data: sorted(content['data'] as JsonObject) }
  // The end of a compaction and the entries that it had seen are addresses, which have no meaning outside this log.
  const { order: _, vv: __, ...said } = content
  return { ...head, type: 'metadata', data: sorted({ ...(type === 'compaction' ? said : content), type }) }
}

/** The last entry that is visible on a checkpoint's line. */
function targetOf(
  { data, order: cuts }: Entry,
  cold: Parameters<typeof lineAt>[0],
  seen: readonly FoldedEntry[],
): FoldedEntry | undefined {
  const { branch, order, vv } = data as { branch: string; order: string; vv: Record<string, number> }
  const line = lineAt(cold, { branch, order, vv, cuts })
  if (line === undefined) return undefined
  return seen
    .filter((entry) => segmentOf(line, entry) >= 0)
    .reduce<FoldedEntry | undefined>(
      (last, entry) => (last === undefined || last.order < entry.order ? entry : last),
      undefined,
    )
}

function checkpointForm({ w, s, at, data }: Entry, sessionId: string, ids: readonly string[]): JsonObject {
  const { mid, aixgo, metadata, label, state } = data
  const more = {
    ...(isObject(metadata) ? (metadata as JsonObject) : {}),
    ...(label === undefined ? {} : { label }),
    ...(state === undefined ? {} : { state }),
  }
  const time = isObject(aixgo) ? aixgo['timestamp'] : undefined
  return {
    id: typeof mid === 'string' ? mid.replace(/^checkpoint-/, '') : entryId(w, s),
    sessionId,
    timestamp: typeof time === 'string' ? time : goTime(at),
    entryId: ids.at(-1) ?? '',
    checksum: checksumOf(ids),
    ...(Object.keys(more).length === 0 ? {} : { metadata: sorted(more) }),
  }
}

function rowOf(
  { userId, createdAt, updatedAt, custom }: SessionMeta,
  agentName: string,
  id: string,
  messageCount: number,
  currentLeaf: string | undefined,
): JsonObject {
  const times = (isObject(custom['aixgo']) ? custom['aixgo'] : {}) as JsonObject
  const made = times['createdAt']
  const changed = times['updatedAt']
  return {
    id,
    agentName,
    ...(userId === undefined ? {} : { userId }),
    createdAt: typeof made === 'string' ? made : goTime(createdAt),
    // The time of the source is written with all its digits, unless the session has changed since.
    updatedAt: typeof changed === 'string' && (timeOf(changed) ?? 0) >= updatedAt ? changed : goTime(updatedAt),
    messageCount,
    ...(currentLeaf === undefined ? {} : { currentLeaf }),
  }
}

/** Go sorts the members of maps, at every level. */
function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as JsonValue[]).map(sorted)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value as JsonObject)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member!)]),
  )
}
