import type { Entry, EntryReceipt, EntryView, MessageData } from '../../../contract/entry.ts'
import type { JsonObject } from '../../../contract/json.ts'
import type { StoredEntry } from '../../../contract/rows.ts'
import { entryId } from '../../../domain/address.ts'
import { turnKey } from '../../../domain/order.ts'

/**
 * An entry as callers see it, with its edit applied. Removed entries keep their original content (the raw view shows
 * them).
 */
export function viewOf(row: StoredEntry): EntryView {
  const { w, s, branch, order, type, at, edit } = row
  const data = edit?.value ?? row.data
  const mid = row.data['mid']
  return {
    id: entryId(w, s),
    branch,
    order,
    type,
    at,
    turn: turnKey(order),
    ...(type === 'message' ? { message: (data as unknown as MessageData).message } : { data: data as JsonObject }),
    ...(typeof mid === 'string' ? { mid } : {}),
    ...(edit === undefined ? {} : { edit: edit.id }),
  }
}

export function receiptOf(entry: Entry): EntryReceipt {
  return { id: entryId(entry.w, entry.s), branch: entry.branch, order: entry.order, at: entry.at }
}

/** The entry without the fields that the store adds. */
export function bareEntry({ bytes: _bytes, edit: _edit, ...entry }: StoredEntry): Entry {
  return entry
}
