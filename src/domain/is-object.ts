import type { JsonObject } from '../contract/json.ts'

/** Whether a value is an object with named members, unlike lists and `null`. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
