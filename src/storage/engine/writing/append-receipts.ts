import type { CoreBackend } from '../../../contract/backend.ts'
import { controlLane } from '../../../contract/backend.ts'
import type { EntryReceipt } from '../../../contract/entry.ts'
import type { JsonValue } from '../../../contract/json.ts'
import type { OperationRow } from '../../../contract/operation-row.ts'
import type { SessionRows, StoredEntry } from '../../../contract/rows.ts'
import type { AppendResult } from '../../../contract/store/session-log.ts'
import { receiptOf } from '../reading/entry-view.ts'

type Address = Pick<StoredEntry, 'w' | 's'>

/**
 * The stored part of the result of an append of several entries. The entries themselves are stored and contain their
 * receipts.
 */
interface KeptAppend {
  readonly branch: string
  readonly moved: boolean
  readonly count: number
  /** Order of the last entry. */
  readonly last: string
}

/** The part of a result that is stored. For a single entry it is as short as a reference to it. */
export function keptAppend({ entries, branch, moved }: AppendResult): JsonValue {
  const last = entries.at(-1)
  return (entries.length < 2 || last === undefined
    ? { entries, branch, moved }
    : ({ branch, moved, count: entries.length, last: last.order } satisfies KeptAppend)) as unknown as JsonValue
}

/** Whether an append made the entry with this address. */
export function isMadeBy({ result, made }: Pick<OperationRow, 'result' | 'made'>, { w, s }: Address): boolean {
  const { entries, count = entries?.length ?? 1 } = result as unknown as Partial<KeptAppend & AppendResult>
  return made !== undefined && w === made.w && s >= made.s && s < made.s + count
}

/** The result of an append as it was the first time. Entries that were erased since are left out. */
export async function appendAgain(
  backend: CoreBackend,
  { hot, cold }: SessionRows,
  { result, made }: Pick<OperationRow, 'result' | 'made'>,
): Promise<AppendResult> {
  if ('entries' in (result as object) || made === undefined) return result as unknown as AppendResult
  const { branch, moved, count, last } = result as unknown as KeptAppend
  const { w, s, order } = made
  const lane = Object.hasOwn(cold.lanes, branch) ? cold.lanes[branch]! : controlLane
  const entries: EntryReceipt[] = []
  for (let from = order; ; ) {
    const part = await backend.readRange({ session: hot.session, lane, from, to: last, limit: 1024 })
    // The record that contains the former bound is read again.
    for (const row of part.entries)
      if (row.w === w && row.s >= s + entries.length && row.s < s + count && row.order > (entries.at(-1)?.order ?? ''))
        entries.push(receiptOf(row))
    const end = part.entries.at(-1)?.order
    if (!part.more || end === undefined || end <= from) return { entries, branch, moved }
    from = end
  }
}
