import type { JsonObject } from '../contract/json.ts'

/** Whether a value has members that can be looked up by name: lists and `null` have none. */
export const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)
