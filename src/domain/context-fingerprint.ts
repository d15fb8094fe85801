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

/** A {@link contextFingerprint} that is made page by page: nothing is kept of what was added. */
export interface Fingerprint {
  /** Entries are added in reading order. */
  add(entry: ReadEntry): unknown
  /** @param hidden - what stood for the part before */
  of(hidden: StandIn): string
}

export function createFingerprint(): Fingerprint {
  let crc = 0
  return {
    add: ({ id, edit }) => (crc = crc32([crc, id, edit].join())),
    of: ({ summary, messages = [] }) => [crc, messages.length, crc32(summary)].join(),
  }
}

/**
 * What a summary is made of, in short: what stood for the part before, and entries of a context with the edits that count. Another fingerprint means that
 * something was hidden, removed, edited or summarised since.
 *
 * @param entries - in reading order
 */
export function contextFingerprint(hidden: StandIn, entries: Iterable<ReadEntry>): string {
  const fingerprint = createFingerprint()
  for (const entry of entries) fingerprint.add(entry)
  return fingerprint.of(hidden)
}
