import type { Entry } from '../contract/entry.ts'
import type { JsonObject } from '../contract/json.ts'
import { entryId } from './address.ts'
import { canonicalJson } from './canonical-json.ts'
import { clockStart, laterClock, tick } from './clock.ts'
import type { FoldedEntry, SessionFold } from './fold.ts'
import { hash53 } from './hash53.ts'
import type { ImportNode } from './import-node.ts'
import { importTree } from './import-tree.ts'
import { labelsOf } from './labels-of.ts'
import type { Line } from './line.ts'
import { isCut, lineOf, segmentOf } from './line.ts'
import { mergeMarkType } from './merge-mark-type.ts'
import type { EntryPath } from './path-to.ts'
import { pathTo } from './path-to.ts'
import { sealEntry } from './seal.ts'

type PathNode = Omit<ImportNode, 'parentId'>

/**
 * The path to an entry as entries of another session, with new addresses, and each with its former id as its `mid`;
 * labels of entries on the path come at the end. Parts that were cut since are left out, and so are their summaries.
 * The same path gives the same entries.
 *
 * @param source - the seed of the new writers
 * @param set - metadata of the new session
 * Source: pi-coding-agent, `createBranchedSession`
 */
export function pathEntries(
  fold: SessionFold,
  at: { readonly branch: string; readonly order: string },
  source: string,
  set: JsonObject,
): readonly Entry[] {
  const path = pathTo(fold, at)
  const now = lineOf(fold.cold, at.branch)
  const rows = path.rows.filter(
    (row) => row.type !== 'label' && row.data['customType'] !== mergeMarkType && !isCutFrom(now, row),
  )
  const nodes = [...withCompaction(rows, path, now), ...labelNodes(fold.rows, rows)]
  const entries = importTree(
    source,
    nodes.map((node, i) => ({ ...node, parentId: nodes[i - 1]?.id ?? null })),
  )
  const isSummarySet =
    path.summary !== '' && path.summary !== path.compaction?.summary && rows.length === path.rows.length
  const meta = isSummarySet ? { ...set, summary: path.summary } : set
  const clock = tick(
    entries.reduce((last, entry) => laterClock(last, entry.clock), clockStart),
    1,
  )
  return [
    ...entries,
    sealEntry({
      w: hash53(`${source} meta ${canonicalJson(meta)}`),
      s: 0,
      branch: '',
      type: 'meta',
      data: { set: meta },
      at: rows.at(-1)?.at ?? 0,
      clock,
    }),
  ]
}

function isCutFrom(line: Line | undefined, row: FoldedEntry): boolean {
  return line !== undefined && isCut(line, segmentOf(line, row), row)
}

/**
 * The rows, with the last compaction of the path at its place among them, unless the part that it replaces was cut off
 * since.
 */
function withCompaction(
  rows: readonly FoldedEntry[],
  { compaction, isCompacted }: EntryPath,
  now: Line | undefined,
): readonly PathNode[] {
  const nodes = rows.map(nodeOf)
  if (
    compaction === undefined ||
    now?.cuts.some(({ cut }) => cut.clock > compaction.clock && cut.order >= compaction.order)
  )
    return nodes
  const after = rows.findIndex(({ order }) => order > compaction.clock)
  const place = after < 0 ? rows.length : after
  const kept = rows.slice(0, place).find((row) => !isCompacted(row))
  const { mid, firstKeptEntryId: _, ...data } = compaction.data
  const node: PathNode = {
    id: compaction.id,
    type: 'compaction',
    data,
    at: compaction.at,
    ...(typeof mid === 'string' ? { mid } : {}),
    ...(kept === undefined ? {} : { firstKept: entryId(kept.w, kept.s) }),
  }
  return nodes.toSpliced(place, 0, node)
}

function nodeOf({ w, s, type, data: { mid, ...data }, edit, at }: FoldedEntry): PathNode {
  const { mid: _, ...rest } = edit?.value ?? data
  return { id: entryId(w, s), type, data: rest, at, ...(typeof mid === 'string' ? { mid } : {}) }
}

function labelNodes(all: readonly FoldedEntry[], path: readonly FoldedEntry[]): readonly PathNode[] {
  const kept = all.filter(({ edit }) => edit?.value !== null)
  const labels = labelsOf(
    kept.map(({ w, s, type, data, at, order }) => ({
      id: entryId(w, s),
      type,
      data,
      at,
      order,
      ...(typeof data['mid'] === 'string' ? { mid: data['mid'] } : {}),
    })),
  )
  return path.flatMap(({ w, s, data: { mid }, at }) => {
    const id = entryId(w, s)
    const label = labels.get(id)
    return label === undefined
      ? []
      : [{ id: `label ${id}`, type: 'label', data: { targetId: typeof mid === 'string' ? mid : id, label }, at }]
  })
}
