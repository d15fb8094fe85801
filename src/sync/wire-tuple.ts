import type { Entry, TurnRef } from '../contract/entry.ts'
import type { JsonObject, JsonValue } from '../contract/json.ts'
import { entryId, parseEntryId } from '../domain/address.ts'
import { isObject } from '../domain/is-object.ts'
import { sealEntry } from '../domain/seal.ts'

/**
 * An entry as it travels: `[type, hp, hc, turn, branch, at − hp, data, crc]`. Writer and sequence number are those of the element it is in, the
 * order follows from the clocks, so neither is sent.
 *
 * - `turn`: 0 opens its own; `[hp − turn.hp, turn.hc, turn.s]` in the first run of its own turn; with `turn.w, hp − run.hp, run.hc` behind it in a later run.
 * - `branch`: 0 is main, else the opener's `[writer, sequence]`.
 * - `at − hp`: a fraction of a millisecond would not survive the subtraction, so such a time stands whole in an array.
 */
export type WireTuple = readonly JsonValue[]

export function toWireTuple({ type, data, at, clock, turn, run, branch, crc }: Entry): WireTuple {
  const opener = branch === '' ? undefined : parseEntryId(branch)
  return [
    type,
    clock.hp,
    clock.hc,
    turn === undefined ? 0 : [clock.hp - turn.hp, turn.hc, turn.s, ...(run === undefined ? [] : [turn.w, clock.hp - run.hp, run.hc])],
    opener === undefined ? 0 : [opener.w, opener.s],
    Number.isSafeInteger(at) ? at - clock.hp : [at],
    data,
    crc,
  ]
}

/**
 * The entry in a tuple from elsewhere, or what is wrong with it. Whether its data obeys the rules of its type is the store's to check: `merge`
 * refuses what doesn't.
 */
export function readWireTuple(w: number, s: number, tuple: unknown): Entry | string {
  try {
    return read(w, s, tuple)
  } catch {
    // Nothing in there throws but the stack, when there is no end to what is in each other.
    return 'it is nested too deeply'
  }
}

function read(w: number, s: number, tuple: unknown): Entry | string {
  if (!Array.isArray(tuple) || tuple.length !== 8) return 'it is no tuple of 8'
  const [type, hp, hc, turnCells, branchCells, at, data, crc] = tuple as readonly unknown[]
  if (typeof type !== 'string' || type === '') return 'it has no type'
  if (!isCount(hp) || !isCount(hc)) return 'its clock is no pair of counts'
  if (!isObject(data)) return 'its data is no object'
  if (!isCount(crc)) return 'it has no checksum'
  const turn = readTurn(turnCells, w, hp)
  if (turn === undefined) return 'its turn can not be read'
  const branch = readBranch(branchCells)
  if (branch === undefined) return 'its branch can not be read'
  const time = typeof at === 'number' ? at + hp : Array.isArray(at) && at.length === 1 ? (at[0] as unknown) : undefined
  if (typeof time !== 'number' || !Number.isFinite(time)) return 'its time is no number'
  const entry = sealEntry({ w, s, branch, type, data: data as JsonObject, at: time, clock: { hp, hc }, ...turn })
  return entry.crc === crc ? entry : 'its checksum does not match its content'
}

function readTurn(cells: unknown, w: number, hp: number): { readonly turn?: TurnRef; readonly run?: { hp: number; hc: number } } | undefined {
  if (cells === 0) return {}
  if (!Array.isArray(cells) || !cells.every(Number.isSafeInteger)) return undefined
  const [turnAge, turnCount, turnSequence, turnWriter, runAge, runCount] = cells as readonly number[]
  if (cells.length === 3) return { turn: { hp: hp - turnAge!, hc: turnCount!, w, s: turnSequence! } }
  if (cells.length !== 6) return undefined
  return { turn: { hp: hp - turnAge!, hc: turnCount!, w: turnWriter!, s: turnSequence! }, run: { hp: hp - runAge!, hc: runCount! } }
}

function readBranch(cells: unknown): string | undefined {
  if (cells === 0) return ''
  return Array.isArray(cells) && cells.length === 2 && cells.every(isCount) ? entryId(cells[0] as number, cells[1] as number) : undefined
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
