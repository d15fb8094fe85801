import type { JsonObject, JsonValue } from './json.ts'

/** What is wrong with a value: its path from the outside in, and what it should be. Completes "`path` …". */
interface Problem {
  readonly path: readonly (string | number)[]
  readonly reason: string
}

/**
 * Checks JSON (a result of `normaliseJson`) and returns the first problem.
 *
 * The zod schemas in this folder are the definition. Stores run these checks, because every worker would have to load
 * zod's 7 kB. A property test compares the two.
 */
export type Check = (value: JsonValue | undefined) => Problem | undefined

const problem = (reason: string): Problem => ({ path: [], reason })

/** A check of one condition. */
const must =
  (reason: string, isRight: (value: JsonValue | undefined) => boolean): Check =>
  (value) =>
    isRight(value) ? undefined : problem(reason)

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const text = must('must be a string', (value) => typeof value === 'string')
export const filledText = must(
  'must be a string that is not empty',
  (value) => typeof value === 'string' && value !== '',
)
export const flag = must('must be true or false', (value) => typeof value === 'boolean')
export const number = must('must be a number', (value) => typeof value === 'number')
export const count = must(
  'must be a whole number from 0 up',
  (value) => Number.isSafeInteger(value) && (value as number) >= 0,
)
export const anyObject = must('must be an object', isObject)

export const exactly = (only: JsonValue): Check => must(`must be ${JSON.stringify(only)}`, (value) => value === only)

export const textUpTo = (length: number): Check =>
  must(
    `must be a string of at most ${length} characters`,
    (value) => typeof value === 'string' && value.length <= length,
  )

export const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined ? undefined : check(value)

export const orNull =
  (check: Check): Check =>
  (value) =>
    value === null ? undefined : check(value)

/** A list, with the same check for each element. @param most - elements it may have */
export const listOf =
  (check: Check, most = Infinity): Check =>
  (value) => {
    if (!Array.isArray(value)) return problem('must be a list')
    if (value.length > most) return problem(`must have at most ${most} elements`)
    for (const [i, element] of value.entries()) {
      const found = check(element)
      if (found !== undefined) return within(i, found)
    }
    return undefined
  }

/** A list of two. */
export const pairOf = (check: Check): Check => {
  const list = listOf(check)
  return (value) => (Array.isArray(value) && value.length !== 2 ? problem('must have two elements') : list(value))
}

/** An object with any keys, and the same check for each member. */
export const recordOf =
  (check: Check): Check =>
  (value) => {
    if (!isObject(value)) return anyObject(value)
    for (const key of Object.keys(value)) {
      const found = check(value[key])
      if (found !== undefined) return within(key, found)
    }
    return undefined
  }

/** An object with these fields; further fields are allowed. */
export const fields = (checks: Readonly<Record<string, Check>>): Check => {
  const list = Object.entries(checks)
  return (value) => {
    if (!isObject(value)) return anyObject(value)
    for (const [field, check] of list) {
      const found = check(value[field])
      if (found !== undefined) return within(field, found)
    }
    return undefined
  }
}

/** An object with these fields and no others. */
export const onlyFields = (checks: Readonly<Record<string, Check>>): Check => {
  const known = fields(checks)
  return (value) => {
    const unknown = isObject(value) ? Object.keys(value).find((field) => !Object.hasOwn(checks, field)) : undefined
    return known(value) ?? (unknown === undefined ? undefined : problem(`has a field "${unknown}" that is not allowed`))
  }
}

const within = (key: string | number, { path, reason }: Problem): Problem => ({ path: [key, ...path], reason })
