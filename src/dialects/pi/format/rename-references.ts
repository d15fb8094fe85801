import type { JsonObject } from '../../../contract/json.ts'

/** The fields in which an entry of pi names another one. */
const referenceFields: Readonly<Record<string, string>> = {
  label: 'targetId',
  context_edit: 'targetId',
  branch_summary: 'fromId',
  compaction: 'firstKeptEntryId',
}

/**
 * Changes the id with which an entry's data names another entry.
 *
 * @param nameOf - the other id; `undefined` leaves it as it is
 */
export function renameReferences(
  type: string,
  data: JsonObject,
  nameOf: (id: string) => string | undefined,
): JsonObject {
  const field = Object.hasOwn(referenceFields, type) ? referenceFields[type]! : undefined
  const said = field === undefined ? undefined : data[field]
  const name = typeof said === 'string' ? nameOf(said) : undefined
  return field === undefined || name === undefined || name === said ? data : { ...data, [field]: name }
}
