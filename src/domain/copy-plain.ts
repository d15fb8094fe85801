import type { JsonObject, JsonValue } from '../contract/json.ts'
import { toWellFormed } from './to-well-formed.ts'

/**
 * The maximum number of characters and members for the fast path, so that a value which is referenced a million times
 * does not take forever.
 */
const quickSize = 1024 * 1024

/** The maximum depth of recursion. */
const quickDepth = 64

/**
 * Copies the usual form of a message: plain objects and arrays of strings, finite numbers, booleans and `null`. A burst
 * spends a quarter of its time on the checks of {@link normaliseJson}. This takes a third of that, and leaves anything
 * unusual to it.
 *
 * @returns the result of `normaliseJson`, or `undefined` when that must check: too deep, too large, or not JSON
 */
export function copyPlainJson(value: unknown): JsonValue | undefined {
  try {
    return copyOf(value, quickDepth, { left: quickSize })
  } catch {
    // A getter or a Proxy threw. `normaliseJson` reports the place.
    return undefined
  }
}

function copyOf(value: unknown, depth: number, room: { left: number }): JsonValue | undefined {
  switch (typeof value) {
    case 'string':
      room.left -= value.length
      return room.left < 0 ? undefined : toWellFormed(value)
    case 'number':
      // -0 becomes 0.
      return Number.isFinite(value) ? value + 0 : undefined
    case 'boolean':
      return value
    case 'object':
      if (value === null) return null
      if (depth === 0) return undefined
      return Array.isArray(value) ? copyList(value, depth, room) : copyObject(value, depth, room)
    default:
      return undefined
  }
}

function copyList(list: readonly unknown[], depth: number, room: { left: number }): JsonValue | undefined {
  room.left -= list.length
  if (room.left < 0) return undefined
  const copy: JsonValue[] = []
  for (let i = 0; i < list.length; i++) {
    const element = copyOf(list[i], depth - 1, room)
    if (element === undefined) return undefined
    copy.push(element)
  }
  return copy
}

function copyObject(source: object, depth: number, room: { left: number }): JsonValue | undefined {
  if (Object.getPrototypeOf(source) !== Object.prototype) return undefined
  const keys = Object.keys(source)
  room.left -= keys.length
  const copy: Record<string, JsonValue> = {}
  for (const key of keys) {
    if (key === '__proto__') return undefined
    const found = (source as JsonObject)[key]
    if (found === undefined) continue
    if (toWellFormed(key) !== key) return undefined
    const member = copyOf(found, depth - 1, room)
    if (member === undefined) return undefined
    copy[key] = member
  }
  return copy
}
