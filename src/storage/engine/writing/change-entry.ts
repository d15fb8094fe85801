import type { CoreBackend } from '../../../contract/backend.ts'
import type { EntryRef } from '../../../contract/entry.ts'
import { SessionError } from '../../../contract/errors.ts'
import type { JsonObject, JsonValue } from '../../../contract/json.ts'
import type { Message } from '../../../contract/message.ts'
import type { StoredEntry } from '../../../contract/rows.ts'
import type { EntryContent } from '../../../contract/store/atomic-changes.ts'
import type { RemoveResult } from '../../../contract/store/session-log.ts'
import type { WriteOptions } from '../../../contract/store/write-options.ts'
import { entryId } from '../../../domain/address.ts'
import { refuseMissing } from '../lifecycle/lifecycle.ts'
import { checkRef, findTarget } from './find-target.ts'
import { asMessage, asObject, checkDurability, checkObject, operationOf } from './input.ts'
import type { Mutation } from './mutation.ts'
import type { Plan } from './plan.ts'
import { planControl } from './plan.ts'

/** Replaces one entry. */
export function editMutation(
  backend: CoreBackend,
  target: EntryRef,
  content: EntryContent,
  options?: WriteOptions,
): Mutation<StoredEntry | undefined, void> {
  const checked = checkContent(content)
  return changeMutation(backend, target, checked, options, (plan, row) => {
    planContent(plan, row, checked)
  })
}

/**
 * Removes one entry, unless it is already removed. So only one of two tabs gets the result that it removed the entry.
 */
export function removeMutation(
  backend: CoreBackend,
  target: EntryRef,
  options?: WriteOptions,
): Mutation<StoredEntry | undefined, RemoveResult> {
  return changeMutation(backend, target, null, options, (plan, row) => {
    const removed = row.edit?.value !== null
    if (removed) planEdit(plan, row, null)
    return { removed }
  })
}

/** Content that was checked: a message, or the data of another entry. */
export type CheckedContent = Message | { readonly data: JsonObject }

/** A message has a role; anything else with `data` is the content of another type. @throws InvalidInput, TooLarge */
export function checkContent(content: unknown, name = 'content'): CheckedContent {
  const copy = checkObject(content, name)
  return copy['role'] === undefined && copy['data'] !== undefined
    ? { data: asObject(copy['data'], `${name}.data`) }
    : asMessage(copy, name)
}

/**
 * Edits a row. The host id stays. @returns the row with its edit @throws InvalidInput when the row has another kind of
 * content
 */
export function planContent(plan: Plan, row: StoredEntry, content: CheckedContent): StoredEntry {
  const isMessage = 'role' in content
  if (isMessage !== (row.type === 'message'))
    throw new SessionError(
      'InvalidInput',
      `The entry is of type "${row.type}". ${isMessage ? 'It is no message: pass its new content as { data }' : 'Pass a message with a role'}.`,
    )
  const { mid } = row.data
  const value = isMessage ? { message: content as unknown as JsonObject } : (content['data'] as JsonObject)
  return planEdit(plan, row, { ...value, ...(typeof mid === 'string' ? { mid } : {}) })
}

/** @returns the row with its edit, for a further change of it in the same plan */
export function planEdit(plan: Plan, row: StoredEntry, value: JsonObject | null): StoredEntry {
  const { w, s, order } = planControl(plan, 'edit', { branch: row.branch, order: row.order, value }, '', row)
  return { ...row, edit: { order, id: entryId(w, s), value } }
}

function changeMutation<Result>(
  backend: CoreBackend,
  target: EntryRef,
  content: CheckedContent | null,
  options: WriteOptions | undefined,
  change: (plan: Plan, row: StoredEntry) => Result,
): Mutation<StoredEntry | undefined, Result> {
  const ref = checkRef(target)
  return {
    durability: checkDurability(options) ?? 'strict',
    operation: operationOf(options, 'edit', [ref as unknown as JsonValue, content as unknown as JsonValue]),
    prepare: async (rows) => {
      refuseMissing(rows, rows.hot.key)
      return findTarget(backend, rows, ref)
    },
    plan: (plan, row) => {
      if (row === undefined)
        throw new SessionError(
          'InvalidInput',
          `Session "${plan.work.hot.key}" has no entry at ${JSON.stringify(ref)}. Pass an entry that read() gave.`,
        )
      return change(plan, row)
    },
  }
}
