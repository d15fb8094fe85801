import { isSameJson } from './is-same-json.ts'

/** The operators that a filter may have in place of a value. */
const operators: Readonly<Record<string, (value: unknown, wanted: unknown) => boolean>> = {
  $eq: isSameJson,
  $ne: (value, wanted) => !isSameJson(value, wanted),
  $gt: (value, wanted) => Number(value) > Number(wanted),
  $gte: (value, wanted) => Number(value) >= Number(wanted),
  $lt: (value, wanted) => Number(value) < Number(wanted),
  $lte: (value, wanted) => Number(value) <= Number(wanted),
  $in: isAmong,
  $nin: (value, wanted) => !isAmong(value, wanted),
}

function isAmong(value: unknown, list: unknown): boolean {
  return Array.isArray(list) && list.some((one) => isSameJson(value, one))
}

/** Whether the fields of a value are as a filter wants them: equal, or as all its operators say. */
export function matchesFilter(
  value: Readonly<Record<string, unknown>>,
  filter: Readonly<Record<string, unknown>> = {},
): boolean {
  return Object.entries(filter).every(([field, wanted]) => {
    const found = value[field]
    const asked = typeof wanted === 'object' && wanted !== null ? Object.entries(wanted) : []
    return asked.length > 0 && asked.every(([name]) => Object.hasOwn(operators, name))
      ? asked.every(([name, operand]) => operators[name]!(found, operand))
      : isSameJson(found, wanted)
  })
}
