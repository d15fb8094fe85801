import type { Entry } from '../contract/entry.ts'
import type { JsonObject } from '../contract/json.ts'
import { entryId } from './address.ts'
import { canonicalJson } from './canonical-json.ts'
import { clockStart, laterClock, tick } from './clock.ts'
import type { FoldedEntry, SessionFold } from './fold.ts'
import { hash53 } from './hash53.ts'
import type { ImportNode } from './import-node.ts'
import { importTreeInSteps } from './import-tree.ts'
import { type LabelRow, labelsOf } from './labels-of.ts'
import type { Line } from './line.ts'
import { isCut, lineOf, segmentOf } from './line.ts'
import { mergeMarkType } from './merge-mark-type.ts'
import type { EntryPath } from './path-to.ts'
import { pathInSteps } from './path-to.ts'
import { sealEntry } from './seal.ts'
import { overEach, type Steps } from './steps.ts'
import { isReplacementCut } from './summary.ts'

type PathNode = Omit<ImportNode, 'parentId'>

/**
 * The path to an entry as entries of another session, in steps, with new addresses, and each with its former id as its
 * `mid`; labels of entries on the path come at the end. Parts that were cut since are left out, and so are their
 * summaries. The same path gives the same entries. The first one sets the metadata, and the others are in the sequence
 * of their writer.
 *
 * @param source - the seed of the new writers
 * @param set - metadata of the new session
 * Source: pi-coding-agent, `createBranchedSession`
 */
export function* pathEntriesInSteps(
  fold: SessionFold,
  at: { readonly branch: string; readonly order: string },
  source: string,
  set: JsonObject,
): Steps<readonly Entry[]> {
  const path = yield* pathInSteps(fold, at)
  const now = lineOf(fold.cold, at.branch)
  const rows: FoldedEntry[] = []
  yield* overEach(path.rows, (row) => {
    if (row.type !== 'label' && row.data['customType'] !== mergeMarkType && !isCutFrom(now, row)) rows.push(row)
  })
  const nodes: PathNode[] = []
  yield* overEach(rows, (row) => void nodes.push(nodeOf(row)))
  const all = [...withCompaction(nodes, rows, path, now), ...(yield* labelNodes(fold.rows, rows))]
  const chained: ImportNode[] = []
  yield* overEach(all, (node) => void chained.push({ ...node, parentId: all[chained.length - 1]?.id ?? null }))
  const entries = yield* importTreeInSteps(source, chained, new Map())
  let last = clockStart
  yield* overEach(entries, ({ clock }) => void (last = laterClock(last, clock)))
  const isSummarySet =
    path.summary !== '' && path.summary !== path.compaction?.summary && rows.length === path.rows.length
  const meta = isSummarySet ? { ...set, summary: path.summary } : set
  return [
    sealEntry({
      w: hash53(`${source} meta ${canonicalJson(meta)}`),
      s: 0,
      branch: '',
      type: 'meta',
      data: { set: meta },
      at: rows.at(-1)?.at ?? 0,
      clock: tick(last, 1),
    }),
    ...entries,
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
  nodes: readonly PathNode[],
  rows: readonly FoldedEntry[],
  { compaction, isCompacted }: EntryPath,
  now: Line | undefined,
): readonly PathNode[] {
  if (compaction === undefined || (now !== undefined && isReplacementCut(now, compaction))) return nodes
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

/** The labels of the entries on a path, as entries behind it. */
function* labelNodes(all: readonly FoldedEntry[], path: readonly FoldedEntry[]): Steps<readonly PathNode[]> {
  const given = all.filter(({ type, edit }) => type === 'label' && edit?.value !== null)
  const targets = new Set(given.map(({ data }) => data['targetId']))
  const rows: LabelRow[] = given.map(labelRow)
  yield* overEach(all, (row) => {
    if (row.type === 'label' || row.edit?.value === null) return
    if (targets.has(entryId(row.w, row.s)) || targets.has(row.data['mid'] ?? null)) rows.push(labelRow(row))
  })
  const labels = labelsOf(rows)
  const nodes: PathNode[] = []
  yield* overEach(labels.size === 0 ? [] : path, ({ w, s, data: { mid }, at }) => {
    const id = entryId(w, s)
    const label = labels.get(id)
    const data = { targetId: typeof mid === 'string' ? mid : id, label: label ?? '' }
    if (label !== undefined) nodes.push({ id: `label ${id}`, type: 'label', data, at })
  })
  return nodes
}

function labelRow({ w, s, type, data, at, order }: FoldedEntry): LabelRow {
  const { mid } = data
  return { id: entryId(w, s), type, data, at, order, ...(typeof mid === 'string' ? { mid } : {}) }
}
