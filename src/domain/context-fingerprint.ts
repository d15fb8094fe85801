import { crc32 } from './crc32.ts'

/** An entry of a context with its winning edit. */
interface ReadEntry {
  readonly id: string
  readonly edit?: string | undefined
}

interface Replacement {
  readonly summary: string
  readonly messages?: readonly unknown[]
}

/**
 * Adds the next entry to a {@link contextFingerprint} that is computed page by page, starting from 0. Nothing of the
 * added entries is kept.
 */
export function addToFingerprint(before: number, { id, edit }: ReadEntry): number {
  return crc32([before, id, edit].join())
}

/**
 * @param entries - the result of {@link addToFingerprint} for all of them
 * @param hidden - the replacement of the hidden part before them
 */
export function fingerprintOf(entries: number, { summary, messages }: Replacement): string {
  return [entries, messages?.length, crc32(summary)].join()
}

/**
 * Identifies, in a short text, the content that a summary is made from: the replacement of the hidden part, and the
 * entries of a context with their winning edits. A different fingerprint means that something was hidden, removed,
 * edited or summarised since.
 *
 * @param entries - in reading order
 */
export function contextFingerprint(hidden: Replacement, entries: readonly ReadEntry[]): string {
  return fingerprintOf(entries.reduce(addToFingerprint, 0), hidden)
}
