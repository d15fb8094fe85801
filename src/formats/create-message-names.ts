import type { JsonObject } from '../contract/json.ts'
import { canonicalJson } from '../domain/canonical-json.ts'
import { hash53 } from '../domain/hash53.ts'

/** Host message ids for a format whose messages have none: a hash of the message, and its number among equal ones. */
export interface MessageNames {
  /** Identifies a message by its content, whatever the order of its fields. */
  hashOf(message: JsonObject): string
  /** @param n - the number of equal messages before it */
  midOf(hash: string, n: number): string
  /** The hash in a host message id, or `undefined` when the message did not come from this format. */
  hashIn(mid: unknown): string | undefined
}

/** @param prefix - the prefix of all ids of a format */
export function createMessageNames(prefix: string): MessageNames {
  return {
    hashOf: (message) => hash53(canonicalJson(message)).toString(36),
    midOf: (hash, n) => (n === 0 ? `${prefix}${hash}` : `${prefix}${hash}-${n}`),
    hashIn: (mid) =>
      typeof mid === 'string' && mid.startsWith(prefix) ? mid.slice(prefix.length).split('-')[0] : undefined,
  }
}
