import type { OperationRow } from '../contract/operation-row.ts'
import type { StoredEntry } from '../contract/rows.ts'
import type { AppendResult } from '../contract/store/session-log.ts'
import { entryId } from '../domain/address.ts'
import { given } from '../domain/given.ts'

/** Position of an entry that is not in the same frame. */
type Elsewhere = readonly [w: number, s: number, order: string, branch: string, at: number]

/**
 * An append of one entry, as a frame has it: the index of that entry in the frame says the rest. A burst makes thousands
 * of them, and written out each takes more than a short message.
 */
type PackedAppend = readonly [id: string, fingerprint: string, n: number, entry: number | Elsewhere, call?: string]

/** What a frame has of an operation. */
export type PackedOperation = PackedAppend | OperationRow

/** @param entries - those of the frame, by sequence number */
export function packOperation(operation: OperationRow, entries: readonly StoredEntry[]): PackedOperation {
  const { id, fingerprint, n, made, call } = operation
  const at = made && timeOfAppend(operation)
  if (made?.branch === undefined || at === undefined) return operation
  const { w, s, order, branch } = made
  const index = indexOf(s, entries)
  const entry = entries[index]
  const isThere = entry?.w === w && entry.s === s && entry.order === order && entry.branch === branch && entry.at === at
  const place = isThere ? index : ([w, s, order, branch, at] as const)
  return call === undefined ? [id, fingerprint, n, place] : [id, fingerprint, n, place, call]
}

/** Where the entry with a sequence number is, if it is there: below its distance from the first where some were erased. */
function indexOf(s: number, entries: readonly StoredEntry[]): number {
  const distance = s - (entries[0]?.s ?? 0)
  if (entries[distance]?.s === s) return distance
  let from = 0
  let to = Math.min(distance, entries.length)
  while (from < to) {
    const middle = (from + to) >> 1
    if (entries[middle]!.s < s) from = middle + 1
    else to = middle
  }
  return from
}

/**
 * @param entries - those of the frame, `undefined` in the places of damaged ones
 * @returns `undefined` when its entry is missing
 */
export function unpackOperation(
  packed: PackedOperation,
  entries: readonly (StoredEntry | undefined)[],
): OperationRow | undefined {
  if (!isPackedAppend(packed)) return packed
  const [id, fingerprint, n, place, call] = packed
  const made = typeof place === 'number' ? entries[place] : placeOf(place)
  if (made === undefined) return undefined
  const { w, s, order, branch, at } = made
  const result = { entries: [{ id: entryId(w, s), branch, order, at }], branch, moved: false }
  return given({ id, fingerprint, result, n, made: { w, s, order, branch }, call })
}

const placeOf = ([w, s, order, branch, at]: Elsewhere) => ({ w, s, order, branch, at })

const isPackedAppend = (packed: PackedOperation): packed is PackedAppend => Array.isArray(packed)

/** When the only entry of an append was made; `undefined` if its row says more than the entry and its id do. */
function timeOfAppend({ result, made, isRedone }: OperationRow): number | undefined {
  const { entries, branch, moved } = (result ?? {}) as Partial<AppendResult>
  const receipt = entries?.length === 1 ? entries[0]! : undefined
  if (receipt === undefined || made === undefined || isRedone !== undefined || moved !== false) return undefined
  const isWhole =
    receipt.id === entryId(made.w, made.s) &&
    receipt.order === made.order &&
    receipt.branch === made.branch &&
    branch === made.branch
  return isWhole ? receipt.at : undefined
}
