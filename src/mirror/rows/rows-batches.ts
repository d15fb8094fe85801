import type { FoundRow, StoredRowWrite } from '../../contract/stored-row.ts'
import { valueOfRow } from '../../domain/row-value.ts'
import { abortError } from '../../formats/byte-source.ts'
import type { MirrorSealing, RowsPlace } from '../mirrored-place.ts'

/** How many rows, and about how many bytes of them, are restored in one commit. */
const batchRows = 512
const batchBytes = 2 ** 22

/** Writes rows of a mirror into its database. */
export interface RowsBatches {
  /** @param row - `undefined`: delete it */
  add(collection: string, key: string, row: NonNullable<FoundRow> | undefined): Promise<void>
  /** Writes what is left. */
  finish(): Promise<RestoredRows>
}

export interface RestoredRows {
  /** How many rows changed. */
  readonly rows: number
  /** How many could not be decrypted, or are damaged in the mirror. */
  readonly unreadable: number
  /**
   * Whether somebody else changed rows in between, so that nothing was written since, and what should be written must be
   * found out again.
   */
  readonly isOutdated: boolean
  /** Stamp of the last commit that was made here, if this was asked for. */
  readonly last?: number
}

export interface RowsBatchesOptions {
  readonly place: RowsPlace
  readonly sealing: MirrorSealing | undefined
  readonly signal: AbortSignal | undefined
  /**
   * Stamp of the last commit when it was found out what to write: then rows are replaced, too, and the batches are only
   * written on this state. Absent: only missing rows are added.
   */
  readonly after?: number
}

/** Gathers rows of each collection for a commit. @throws Aborted, and what the database throws */
export function createRowsBatches({ place, sealing, signal, after }: RowsBatchesOptions): RowsBatches {
  let waiting = new Map<string, StoredRowWrite[]>()
  let [count, bytes, rows, unreadable] = [0, 0, 0, 0]
  let isOutdated = false
  let last = after

  async function write(): Promise<void> {
    const batches = waiting
    waiting = new Map()
    count = 0
    bytes = 0
    for (const [collection, ops] of batches) await writeOf(collection, ops)
  }

  async function writeOf(collection: string, ops: readonly StoredRowWrite[]): Promise<void> {
    if (signal?.aborted) throw abortError()
    if (isOutdated) return
    const condition = last === undefined ? {} : { after: last }
    const outcome = await place.mirrored.commit(
      { sessions: [], erase: [], rows: { collection, ops, ...condition } },
      'relaxed',
    )
    const { changed = [], stamped } = outcome.stored ? outcome : {}
    if (last !== undefined) {
      // Deletions of rows that are gone change nothing either.
      if (stamped !== undefined) last = stamped.stamp
      else isOutdated = (await place.stored.lastRowsStamp()) !== last
    }
    const keys = ops.flatMap(({ key }, i) => (changed[i] ? [key] : []))
    rows += keys.length
    if (keys.length > 0) place.onRestored(collection, keys)
  }

  return {
    add: async (collection, key, row) => {
      const open = row && sealing ? await sealing.openRow(collection, key, row) : row
      if (row !== undefined && valueOfRow(open) === undefined) {
        unreadable++
        return
      }
      const ops = waiting.get(collection) ?? []
      waiting.set(collection, ops)
      const type = last === undefined ? 'insertIfAbsent' : 'put'
      ops.push(open ? { type, key, row: open } : { type: 'delete', key })
      count++
      bytes += row?.data.length ?? 0
      if (count >= batchRows || bytes >= batchBytes) await write()
    },
    finish: async () => {
      await write()
      return { rows, unreadable, isOutdated, ...(last !== undefined && { last }) }
    },
  }
}
