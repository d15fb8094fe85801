import type { Entry, SequenceRanges } from '../../../src/contract/entry.ts'
import type { JsonObject } from '../../../src/contract/json.ts'
import type { SessionRows, StoredEntry, TailState } from '../../../src/contract/rows.ts'
import { arrive, mayHaveCopies } from '../../../src/domain/arrive.ts'
import { isControl } from '../../../src/domain/control.ts'
import { emptyRows } from '../../../src/domain/empty-rows.ts'
import { importedMid } from '../../../src/domain/imported-mid.ts'
import { lineOf, segmentOf } from '../../../src/domain/line.ts'
import { settleReview } from '../../../src/domain/review.ts'
import { type ShownRow, shownAmong } from '../../../src/domain/shown-among.ts'
import { extendTail } from '../../../src/domain/tail.ts'
import { joinVectors } from '../../../src/domain/version-vector.ts'
import { beginWork, nextSequence, type Work } from '../../../src/domain/work.ts'
import type { TurnHandle } from '../../../src/domain/writer.ts'
import { idOf } from './reference-fold.ts'

/** One tab, until it reboots: its writer and the turn it is in. */
export interface Tab {
  w: number
  handle?: TurnHandle | undefined
}

/**
 * A store in memory that does what the engine does, and nothing cleverer: rows by place, two meta rows, transactions
 * one by one.
 */
export interface Device {
  rows: SessionRows
  /** Line entries by branch and order, edits cached; control entries apart. */
  readonly stored: Map<string, StoredEntry>
  readonly controls: Map<string, StoredEntry>
  /** Everything that ever arrived, as it arrived. */
  readonly log: Map<string, Entry>
  readonly tabs: Tab[]
  /** Milliseconds its clock is ahead. */
  readonly skew: number
}

export interface Transaction {
  readonly device: Device
  readonly work: Work
  readonly take: (entry: Entry) => void
}

export function createDevice(tabs: readonly number[], skew: number): Device {
  return {
    rows: emptyRows('key', 1),
    stored: new Map(),
    controls: new Map(),
    log: new Map(),
    tabs: tabs.map((w) => ({ w })),
    skew,
  }
}

/** Runs one transaction: plans on the rows, takes entries in, reads what must be counted again, commits. */
export function transact<T>(device: Device, plan: (transaction: Transaction) => T): T {
  const work = beginWork(device.rows)
  const take = (entry: Entry): void => {
    const { data } = entry
    const named = (entry.type === 'edit' ? data : entry.type === 'branch' ? data['fork'] : undefined) as
      | { branch: string; order: string }
      | undefined
    const target = named === undefined ? undefined : device.stored.get(place(named.branch, named.order))
    const mid = importedMid(entry)
    const hasCopy =
      mid !== undefined &&
      mayHaveCopies(work, entry) &&
      [...device.stored.values()].some((row) => importedMid(row) === mid)
    const { row, mark } = arrive(work, entry, JSON.stringify(data).length, target, hasCopy)
    device.log.set(idOf(entry), entry)
    if (row !== undefined)
      (isControl(row.type) ? device.controls : device.stored).set(place(row.branch, row.order), frozen(row))
    if (mark !== undefined) {
      const key = place(mark.branch, mark.order)
      device.stored.set(key, { ...device.stored.get(key)!, edit: mark.mark })
    }
  }
  const result = plan({ device, work, take })
  settle(device, work)
  const full = work.coldChanged || Object.keys(work.hot.ahead).length > 16
  const cold = full
    ? { ...work.cold, version: work.hot.version + 1, vv: joinVectors(work.cold.vv, work.hot.ahead) }
    : work.cold
  const hot = {
    ...work.hot,
    version: work.hot.version + 1,
    ...(full ? { ahead: {}, coldVersion: work.hot.version + 1 } : {}),
  }
  device.rows = frozen({ hot, cold })
  return result
}

/** Rows are shared between versions, so nothing of them may ever be changed in place. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.values(value).forEach(frozen)
  return Object.freeze(value)
}

function settle(device: Device, work: Work): void {
  const need = work.review
  if (need === undefined) return
  const line = need.kind === 'subtract' ? need.line : work.line
  const rows = ascending(device).filter((row) => {
    if (row.order <= need.after) return false
    const segment = line.segments.find(({ branch }) => branch === row.branch)
    return segment !== undefined && segment.after < row.order && row.order <= segment.upTo
  })
  settleReview(work, rows, need.kind === 'scan' && need.after === '' ? newerThanHead(device, work) : undefined)
}

function newerThanHead(device: Device, work: Work): Record<string, number> {
  const since = work.cold.heads[work.hot.head] ?? ''
  const newer: Record<string, number> = {}
  for (const row of device.stored.values()) {
    if (row.order > since && !isIn(work.cold.purged, row) && segmentOf(work.line, row) < 0)
      newer[row.branch] = (newer[row.branch] ?? 0) + 1
  }
  return newer
}

/**
 * Drops rows, checkpoints and compactions that were purged, and of what else was purged the edits that a later one or
 * the purge of their row makes useless, and the metadata of which a later entry set every field; a store may do this at
 * any time after the `purge` entry came.
 */
export function erasePurged(device: Device): void {
  const { purged } = device.rows.cold
  const isUseless = ({ data, order }: StoredEntry): boolean => {
    const row = device.stored.get(place(data['branch'] as string, data['order'] as string))
    return row !== undefined && (isIn(purged, row) || row.edit!.order > order)
  }
  const metas = [...device.controls.values()].filter(({ type }) => type === 'meta')
  const setBy = ({ data }: StoredEntry): readonly string[] =>
    Object.keys(data['set'] as object).map((field) => JSON.stringify([data['target'], field]))
  const isReplaced = (one: StoredEntry): boolean =>
    setBy(one).every((place) => metas.some((other) => other.order > one.order && setBy(other).includes(place)))
  const mayGo: Readonly<Record<string, (entry: StoredEntry) => boolean>> = {
    edit: isUseless,
    meta: isReplaced,
    checkpoint: () => true,
    compaction: () => true,
  }
  const controls = [...device.controls.values()].filter((one) => isIn(purged, one) && mayGo[one.type]?.(one) === true)
  erase(device, [...controls, ...[...device.stored.values()].filter((row) => isIn(purged, row))])
}

/** Drops entries. */
export function erase(device: Device, entries: readonly StoredEntry[]): void {
  for (const { type, branch, order, bytes } of entries) {
    if (!(isControl(type) ? device.controls : device.stored).delete(place(branch, order))) continue
    const { hot } = device.rows
    device.rows = { ...device.rows, hot: { ...hot, entries: hot.entries - 1, bytes: hot.bytes - bytes } }
  }
}

function isIn(ranges: SequenceRanges, row: Entry): boolean {
  return (ranges[row.w.toString(36)] ?? []).some(([from, to]) => from <= row.s && row.s < to)
}

function place(branch: string, order: string): string {
  return `${branch} ${order}`
}

export function ascending(device: Device): StoredEntry[] {
  return [...device.stored.values()].sort((a, b) => (a.order < b.order ? -1 : 1))
}

/** The line entries one view of a line shows, from the stored rows. */
export function readView(device: Device, branch: string, view: 'raw' | 'transcript' | 'context'): StoredEntry[] {
  return shownRows(device, branch).flatMap((shown) => (shown[view] ? [view === 'raw' ? shown.own : shown.row] : []))
}

/** Every stored row with the views of a line that show it; the row as it was stored, and as it is shown. */
function shownRows(device: Device, branch: string): readonly (ShownRow<StoredEntry> & { readonly own: StoredEntry })[] {
  const line = lineOf(device.rows.cold, branch)
  if (line === undefined) return []
  const rows = ascending(device)
  const shown = shownAmong(line, device.rows.cold.hasCopies === true ? rows : [])
  return rows.map((own) => ({ ...shown(own), own }))
}

/** The last visible row of a line and the open calls of its turn, read from the rows. */
export function readTail(device: Device, branch: string): TailState | undefined {
  return readView(device, branch, 'transcript').reduce<TailState | undefined>(extendTail, undefined)
}

/** Takes entries of other devices in one transaction; ones that are there already are passed over. */
export function receive(device: Device, entries: readonly Entry[]): void {
  transact(device, ({ work, take }) => {
    for (const entry of entries) if (entry.s >= nextSequence(work, entry.w)) take(entry)
  })
}

/** The data of an entry as it reads now. */
export function valueOf(row: StoredEntry): JsonObject | null {
  return row.edit === undefined ? row.data : row.edit.value
}
