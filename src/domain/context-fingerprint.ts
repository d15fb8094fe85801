import { crc32 } from './crc32.ts'

/** An entry of a context with the edit that counts. */
interface ReadEntry {
  readonly id: string
  readonly edit?: string | undefined
}

interface StandIn {
  readonly summary: string
  readonly messages?: readonly unknown[]
}

/** Adds the next entry to a {@link contextFingerprint} that is made page by page, from 0: nothing is kept of what was added. */
export function addToFingerprint(before: number, { id, edit }: ReadEntry): number {
  return crc32([before, id, edit].join())
}

/**
 * @param entries - what {@link addToFingerprint} gave for all of them
 * @param hidden - what stood for the part before
 */
export function fingerprintOf(entries: number, { summary, messages }: StandIn): string {
  return [entries, messages?.length, crc32(summary)].join()
}

/**
 * What a summary is made of, in short: what stood for the part before, and entries of a context with the edits that count. Another fingerprint means that
 * something was hidden, removed, edited or summarised since.
 *
 * @param entries - in reading order
 */
export function contextFingerprint(hidden: StandIn, entries: readonly ReadEntry[]): string {
  return fingerprintOf(entries.reduce(addToFingerprint, 0), hidden)
}
