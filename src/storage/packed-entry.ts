import type { JsonObject } from '../contract/json.ts'
import type { EditMark, StoredEntry } from '../contract/rows.ts'

/** Replaces data that is stored outside its record: the host message id when the data has one, else 0. */
export type BodyMark = string | 0

type PackedTurn = readonly [hp: number, hc: number, w: number, s: number]
type PackedRun = readonly [hp: number, hc: number]
type PackedEdit = readonly [order: string, id: string, value: JsonObject | BodyMark | null]

/**
 * An entry in the form that a record holds. It is a tuple because an object repeats its property names: tuples come out
 * of IndexedDB in three quarters of the time. Absent fields at the end are left out; others are 0.
 */
export type PackedEntry = readonly [
  order: string,
  w: number,
  s: number,
  branch: string,
  type: string,
  data: JsonObject | BodyMark,
  at: number,
  hp: number,
  hc: number,
  crc: number,
  bytes: number,
  turn?: PackedTurn | 0,
  run?: PackedRun | 0,
  edit?: PackedEdit,
]

/** The index of those parts of a {@link PackedEntry} that other code reads. */
export const place = { order: 0, type: 4, data: 5, crc: 9, bytes: 10, turn: 11, run: 12, edit: 13 } as const

/**
 * Marks a sealed entry. Its own checksum is sealed with its data, because the checksum of a short text would reveal the
 * text.
 */
export const sealedCrc = -1

type Writable<T> = { -readonly [name in keyof T]: T[name] }

/** Packs an entry with all its fields. Keeps references to its data. */
export function packEntry(entry: StoredEntry): PackedEntry {
  const { order, w, s, branch, type, data, at, clock, crc, bytes, turn, run, edit } = entry
  const packed: Writable<PackedEntry> = [order, w, s, branch, type, data, at, clock.hp, clock.hc, crc, bytes]
  if (turn !== undefined) packed[place.turn] = [turn.hp, turn.hc, turn.w, turn.s]
  if (run !== undefined) {
    packed[place.turn] ??= 0
    packed[place.run] = [run.hp, run.hc]
  }
  return edit === undefined ? packed : withEdit(packed, edit)
}

/** The entry with this edit cached in it, or the same object when it has a later one. */
export function withEdit(packed: PackedEntry, edit: EditMark): PackedEntry {
  const cached = packed[place.edit]
  if (cached !== undefined && cached[0] >= edit.order) return packed
  const copy = [...packed] as Writable<PackedEntry>
  copy[place.turn] ??= 0
  copy[place.run] ??= 0
  copy[place.edit] = [edit.order, edit.id, edit.value]
  return copy
}

/** The entry with its data and the value of its edit replaced; `undefined` keeps the old value. */
export function withBodies(
  packed: PackedEntry,
  data: JsonObject | BodyMark | undefined,
  editValue: JsonObject | BodyMark | undefined,
): PackedEntry {
  const copy = [...packed] as Writable<PackedEntry>
  const edit = copy[place.edit]
  if (data !== undefined) copy[place.data] = data
  if (edit !== undefined && editValue !== undefined) copy[place.edit] = [edit[0], edit[1], editValue]
  return copy
}

/** Whether the value replaces data outside the record. */
export function isBodyMark(body: unknown): body is BodyMark {
  return body === 0 || typeof body === 'string'
}

/** The host message id of an entry, wherever its data is stored. */
export function packedMid(packed: PackedEntry): string | undefined {
  const data = packed[place.data]
  if (isBodyMark(data)) return data === 0 ? undefined : data
  return typeof data['mid'] === 'string' ? data['mid'] : undefined
}

/** The entry that was packed; `undefined` when a part of it is still outside the record. */
export function unpackEntry(packed: PackedEntry): StoredEntry | undefined {
  const [order, w, s, branch, type, data, at, hp, hc, crc, bytes, turn, run, edit] = packed
  if (isBodyMark(data)) return undefined
  const entry: Writable<StoredEntry> = { w, s, branch, type, data, at, clock: { hp, hc }, order, crc, bytes }
  if (turn) entry.turn = { hp: turn[0], hc: turn[1], w: turn[2], s: turn[3] }
  if (run) entry.run = { hp: run[0], hc: run[1] }
  if (edit !== undefined) {
    const value = edit[2]
    if (isBodyMark(value)) return undefined
    entry.edit = { order: edit[0], id: edit[1], value }
  }
  return entry
}

/** Whether a stored value has the shape of a packed entry. Cheap, because it is asked of every entry read. */
export function isPackedEntry(value: unknown): value is PackedEntry {
  if (!Array.isArray(value) || value.length < 11 || value.length > 14) return false
  const [order, w, s, branch, type, data, at, hp, hc, crc, bytes, turn, run, edit] = value as unknown[]
  return (
    typeof order === 'string' &&
    typeof w === 'number' &&
    typeof s === 'number' &&
    typeof branch === 'string' &&
    typeof type === 'string' &&
    isBody(data) &&
    typeof at === 'number' &&
    typeof hp === 'number' &&
    typeof hc === 'number' &&
    typeof crc === 'number' &&
    typeof bytes === 'number' &&
    (turn === undefined || turn === 0 || isNumbers(turn, 4)) &&
    (run === undefined || run === 0 || isNumbers(run, 2)) &&
    (edit === undefined || isEdit(edit))
  )
}

function isBody(value: unknown): boolean {
  return isBodyMark(value) || (typeof value === 'object' && value !== null && !Array.isArray(value))
}

function isNumbers(value: unknown, length: number): boolean {
  return Array.isArray(value) && value.length === length && value.every((one) => typeof one === 'number')
}

function isEdit(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length === 3 &&
    typeof value[0] === 'string' &&
    typeof value[1] === 'string' &&
    (value[2] === null || isBody(value[2]))
  )
}
