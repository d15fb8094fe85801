import { type CoreBackend, controlLane } from '../../../contract/backend.ts'
import type { EntryView } from '../../../contract/entry.ts'
import { SessionError } from '../../../contract/errors.ts'
import type { JsonObject, JsonValue } from '../../../contract/json.ts'
import type { SessionRows, StoredEntry } from '../../../contract/rows.ts'
import type { PopOptions } from '../../../contract/store/atomic-changes.ts'
import { viewOf } from '../reading/entry-view.ts'
import { readLast } from '../reading/read-last.ts'
import { readRow } from '../reading/session-reader.ts'
import { planEdit } from './change-entry.ts'
import { checkDurability, operationOf } from './input.ts'
import type { Mutation } from './mutation.ts'

/** What is stored of a pop: where the entry is, and the edit that it had. Its content is in the log. */
interface KeptPop {
  readonly branch: string
  readonly order: string
  readonly edit?: string
}

/** Removes the last entry of the head line, and returns it as it was. */
export function popMutation(
  backend: CoreBackend,
  options: PopOptions = {},
): Mutation<StoredEntry | undefined, EntryView | undefined> {
  const { type } = options
  if (type !== undefined && typeof type !== 'string')
    throw new SessionError('InvalidInput', 'type must be the type of an entry, such as "message".')
  let kept: KeptPop | null = null
  return {
    durability: checkDurability(options) ?? 'strict',
    operation: operationOf(options, 'pop', [type ?? null]),
    keep: () => kept as JsonValue,
    again: async (rows, { result }) => popAgain(backend, rows, result as unknown as KeptPop | null),
    prepare: (rows) => readLast(backend, rows, type),
    plan: (plan, row) => {
      kept = null
      if (row === undefined) return undefined
      const { branch, order, edit } = row
      kept = { branch, order, ...(edit === undefined ? {} : { edit: edit.order }) }
      planEdit(plan, row, null)
      return viewOf(row)
    },
  }
}

/** The entry as it was the first time; `undefined` where it was erased since. */
async function popAgain(backend: CoreBackend, rows: SessionRows, kept: KeptPop | null): Promise<EntryView | undefined> {
  const row = kept === null ? undefined : await readRow(backend, rows, kept.branch, kept.order)
  if (row === undefined) return undefined
  const { edit: _removal, ...original } = row
  const order = kept?.edit
  if (order === undefined) return viewOf(original)
  const range = { session: rows.hot.session, lane: controlLane, from: order, to: order }
  const edit = (await backend.readRange(range)).entries.find((one) => one.order === order)
  return viewOf(
    edit === undefined
      ? original
      : { ...original, edit: { order, id: viewOf(edit).id, value: edit.data['value'] as JsonObject } },
  )
}
