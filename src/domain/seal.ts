import type { Entry, Fork } from '../contract/entry.ts'
import type { JsonObject, JsonValue } from '../contract/json.ts'
import { isBranchId, isWriterKey } from './address.ts'
import { canonicalJson } from './canonical-json.ts'
import { compareClocks, isClockValid } from './clock.ts'
import { isControl } from './control.ts'
import { checksumUtf8, crc32, type Utf8Checksum } from './crc32.ts'
import { orderOf } from './order.ts'

/** An entry before its order and checksum are computed. */
export type OpenEntry = Omit<Entry, 'order' | 'crc'>

/**
 * CRC-32 over the address and place of an entry and the CRC-32 of its data. It is not chained, because entries may be
 * purged, and does not include the session, because promotion and archives move entries unchanged.
 */
export function entryChecksum(
  entry: OpenEntry & { readonly order: string },
  dataCrc = dataChecksum(entry.data),
): number {
  const { w, s, branch, type, at, clock, turn, run, order } = entry
  const head: JsonValue[] = [w, s, branch, type, at, clock.hp, clock.hc, order]
  if (turn !== undefined) head.push(turn.hp, turn.hc, turn.w, turn.s)
  if (run !== undefined) head.push(run.hp, run.hc)
  head.push(dataCrc)
  return crc32(canonicalJson(head))
}

/** CRC-32 of the canonical JSON of an entry's data. */
function dataChecksum(data: JsonObject): number {
  return measureData(data).crc
}

/** The checksum of an entry's data and the size of its JSON, which is the same for every order of its members. */
export function measureData(data: JsonObject): Utf8Checksum {
  return checksumUtf8(canonicalJson(data))
}

/**
 * Completes an entry. It must not be changed afterwards.
 *
 * @param dataCrc - the checksum of its data, if known
 */
export function sealEntry(entry: OpenEntry, dataCrc?: number): Entry {
  const { w, s, branch, type, data, at, clock, turn, run } = entry
  // The fields are written out, because a burst seals thousands of entries and a spread takes longer.
  const sealed: { -readonly [Field in keyof Entry]: Entry[Field] } = {
    w,
    s,
    branch,
    type,
    data,
    at,
    clock,
    order: orderOf(entry),
    crc: 0,
  }
  if (turn !== undefined) sealed.turn = turn
  if (run !== undefined) sealed.run = run
  sealed.crc = entryChecksum(sealed, dataCrc)
  return sealed
}

/**
 * The problem of an entry from elsewhere, or `undefined`. Its outer form and that of its data must have been checked.
 *
 * @param measured - the measures of its data, if known
 */
export function entryProblem(entry: Entry, measured?: Utf8Checksum): string | undefined {
  const { w, s, branch, type, clock, turn, run } = entry
  if (!Number.isSafeInteger(w) || !Number.isSafeInteger(s)) return 'its address is not a pair of safe integers'
  if (!isClockValid(clock) || (turn !== undefined && !isClockValid(turn)) || (run !== undefined && !isClockValid(run)))
    return 'its clock is out of range'
  if (isControl(type) && (turn !== undefined || run !== undefined)) return `a ${type} entry opens its own turn`
  if (run !== undefined && turn === undefined) return 'it names a run without a turn'
  if (turn !== undefined) {
    if (run === undefined && turn.w !== w) return 'the first run of a turn belongs to the writer of the turn'
    if (compareClocks(turn, clock) >= 0) return 'it is not later than the turn it continues'
    if (run !== undefined && (compareClocks(run, clock) > 0 || compareClocks(turn, run) >= 0))
      return 'its run is not between its turn and itself'
  }
  if (![branch, ...branchesNamed(entry)].every(isBranchId)) return 'it names a branch with an invalid id'
  if (!vectorsIn(entry).every((vector) => Object.keys(vector).every(isWriterKey)))
    return 'it names a writer with an invalid id'
  if (entry.order !== orderOf(entry)) return 'its order does not belong to its clock'
  if (entry.crc !== entryChecksum(entry, measured?.crc)) return 'its checksum does not match its content'
  return undefined
}

/** The branches that a control entry names. They become keys of the rows. */
function branchesNamed({ type, data }: Entry): readonly string[] {
  const { branch, fork } = data as { branch?: string; fork?: Fork }
  if (type === 'branch') return [fork!.branch]
  return type === 'head' || type === 'edit' || type === 'checkpoint' ? [branch!] : []
}

function vectorsIn({ type, data }: Entry): readonly object[] {
  if (!isControl(type)) return []
  const { vv, ranges, controls, fork } = data as { vv?: object; ranges?: object; controls?: object; fork?: Fork }
  return [vv, ranges, controls, fork?.vv].filter((vector) => vector !== undefined)
}
