import { SessionError } from '../contract/errors.ts'

const mostEntries = 262_144
const mostBytes = 128 * 1024 * 1024

/**
 * The limits for a conversation in memory: entries, because each takes a kilobyte even if it is short, and bytes of its
 * file. A zip of a few kilobytes can unpack to more than any worker's memory.
 */
export const heldLimits = { entries: mostEntries, bytes: mostBytes }

/**
 * Counts the entries and bytes of one conversation in memory.
 *
 * @returns a function that counts one more entry with this number of bytes, and throws TooLarge when it is too much
 */
export function createSizeGuard(
  limits: { readonly entries: number; readonly bytes: number } = heldLimits,
): (bytes: number) => void {
  let entries = 0
  let bytes = 0
  return (more) => {
    entries += 1
    bytes += more
    if (entries <= limits.entries && bytes <= limits.bytes) return
    const found =
      entries > limits.entries
        ? `${limits.entries.toLocaleString('en')} entries`
        : `${Math.floor(limits.bytes / 1024 / 1024)} MiB`
    throw new SessionError(
      'TooLarge',
      `it has over ${found}, which is the limit for one conversation. Nothing of it was imported; split it and import the parts`,
    )
  }
}
