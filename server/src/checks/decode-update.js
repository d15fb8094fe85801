import * as Y from 'yjs'
import { Refusal } from '../refusal.js'

/** Every update is decoded for two checks. @type {WeakMap<Uint8Array, ReturnType<typeof Y.decodeUpdate>>} */
const decoded = new WeakMap()

/**
 * @param {Uint8Array} update
 * @throws {Refusal}
 */
export function decodeUpdate(update) {
  try {
    const found = decoded.get(update) ?? Y.decodeUpdate(update)
    decoded.set(update, found)
    return found
  } catch {
    // Cut off, not an update at all, or nested deeper than the stack.
    throw new Refusal('malformed-update')
  }
}
