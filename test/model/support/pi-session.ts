import fc from 'fast-check'
import type { JsonObject } from '../../../src/contract/json.ts'
import type { ImportNode } from '../../../src/domain/import-node.ts'

/** A line of a pi session file, without its time. */
export interface PiEntry {
  readonly id: string
  readonly parentId: string | null
  readonly type: string
  readonly data: JsonObject
  readonly firstKeptEntryId?: string
}

/** What pi hands to a model. */
export interface PiContext {
  /** Ids of the entries whose content is sent, in order; that of a compaction stands for its summary. */
  readonly sent: readonly string[]
  readonly thinkingLevel: string
  readonly model: string | null
}

/**
 * Which entry hangs from which; the numbers are drawn first, so that parents may come later, be missing, be the entry
 * itself or form a circle.
 */
const links = fc.tuple(fc.nat(99), fc.nat(9), fc.nat(99), fc.nat(99))

/**
 * Files with several roots, orphans, entries that name themselves, circles, and compactions that keep from any entry
 * on.
 */
export function piFiles(isShuffled: boolean): fc.Arbitrary<readonly PiEntry[]> {
  return fc
    .array(links, { minLength: 1, maxLength: 40, size: 'max' })
    .map((list) => list.map((numbers, i) => entryOf(numbers, i, list.length, isShuffled)))
}

function entryOf(
  [kind, how, where, kept]: readonly [number, number, number, number],
  i: number,
  length: number,
  isShuffled: boolean,
): PiEntry {
  const earlier = i === 0 ? null : `e${where % i}`
  const anywhere = `e${where % length}`
  const parentId =
    how < 5 && i > 0
      ? `e${i - 1}`
      : how < 6 || (!isShuffled && how < 9)
        ? earlier
        : how < 8
          ? anywhere
          : how === 8
            ? 'missing'
            : null
  return { id: `e${i}`, parentId, ...contentOf(kind, i, `e${kept % length}`) }
}

function contentOf(kind: number, i: number, kept: string): Pick<PiEntry, 'type' | 'data' | 'firstKeptEntryId'> {
  if (kind < 30) return { type: 'message', data: { message: { role: 'user', content: `question ${i}` } } }
  if (kind < 55)
    return { type: 'message', data: { message: { role: 'assistant', content: `answer ${i}`, model: `model ${i}` } } }
  if (kind < 62)
    return {
      type: 'message',
      data: { message: { role: 'toolResult', content: `result ${i}`, toolCallId: `call ${i}` } },
    }
  if (kind < 80) return { type: 'compaction', data: { summary: `summary ${i}` }, firstKeptEntryId: kept }
  if (kind < 84) return { type: 'model_change', data: { modelId: `model ${i}` } }
  if (kind < 88) return { type: 'thinking_level_change', data: { thinkingLevel: `level ${i}` } }
  if (kind < 92) return { type: 'branch_summary', data: { summary: i % 2 === 0 ? '' : `summary ${i}` } }
  return { type: ['custom', 'custom_message', 'label', 'session_info'][kind % 4]!, data: { text: `text ${i}` } }
}

export function nodeOf({ id, parentId, type, data, firstKeptEntryId }: PiEntry): ImportNode {
  return { id, parentId, type, data, at: 0, ...(firstKeptEntryId === undefined ? {} : { firstKept: firstKeptEntryId }) }
}

/**
 * `buildSessionContext` of pi's March version, as its description says: the path to the root by `parentId`; the last
 * compaction on it first, then what lies between the first kept entry and the compaction, then what follows; nothing
 * from before when the first kept entry is not there. Only that a circle ends at its first entry in the file, where the
 * original hangs.
 */
export function buildSessionContext(entries: readonly PiEntry[], leafId: string): PiContext {
  const path = pathTo(entries, leafId)
  const at = path.findLastIndex(({ type }) => type === 'compaction')
  const sent: string[] = []
  const send = (list: readonly PiEntry[]): void => {
    for (const entry of list) if (isSent(entry)) sent.push(entry.id)
  }
  if (at < 0) send(path)
  else {
    const compaction = path[at]!
    sent.push(compaction.id)
    const kept = path.slice(0, at).findIndex(({ id }) => id === compaction.firstKeptEntryId)
    if (kept >= 0) send(path.slice(kept, at))
    send(path.slice(at + 1))
  }
  return { sent, ...stateOf(path) }
}

/** The last model and thinking level of a path. */
export function stateOf(path: readonly Pick<PiEntry, 'type' | 'data'>[]): Pick<PiContext, 'thinkingLevel' | 'model'> {
  let thinkingLevel = 'off'
  let model: string | null = null
  for (const { type, data } of path) {
    const message = data['message'] as { role: string; model?: string } | undefined
    if (type === 'thinking_level_change') thinkingLevel = data['thinkingLevel'] as string
    if (type === 'model_change') model = data['modelId'] as string
    if (message?.role === 'assistant') model = message.model!
  }
  return { thinkingLevel, model }
}

/** Whether an entry's content reaches the model. */
export function isSent({ type, data }: Pick<PiEntry, 'type' | 'data'>): boolean {
  return type === 'message' || type === 'custom_message' || (type === 'branch_summary' && data['summary'] !== '')
}

/** From the root down to an entry. */
function pathTo(entries: readonly PiEntry[], leafId: string): PiEntry[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]))
  const path: PiEntry[] = []
  for (
    let at = byId.get(leafId);
    at !== undefined;
    at = at.parentId === null || isCircleRoot(entries, at) ? undefined : byId.get(at.parentId)
  )
    path.unshift(at)
  return path
}

export function hasCircle(entries: readonly PiEntry[]): boolean {
  return entries.some((entry) => isCircleRoot(entries, entry))
}

/** Whether an entry is the first in the file of a circle it is part of. */
function isCircleRoot(entries: readonly PiEntry[], entry: PiEntry): boolean {
  const byId = new Map(entries.map((one) => [one.id, one]))
  const circle = new Set<string>()
  let at: PiEntry | undefined = entry
  while (at !== undefined && !circle.has(at.id)) {
    circle.add(at.id)
    at = at.parentId === null ? undefined : byId.get(at.parentId)
  }
  return at?.id === entry.id && entries.find(({ id }) => circle.has(id))?.id === entry.id
}
