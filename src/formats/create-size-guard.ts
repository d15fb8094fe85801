import { SessionError } from '../contract/errors.ts'

/**
 * What a conversation may have that is held in memory once: entries, because each takes a kilobyte however short it is,
 * and bytes of its file. A zip of a few kilobytes can hold more than any worker has.
 */
export const heldLimits = { entries: 262_144, bytes: 128 * 1024 * 1024 }

/**
 * Counts what is held of one conversation.
 *
 * @returns takes notice of one more entry of so many bytes. @throws TooLarge when it is too much
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
      `it has over ${found}, more than one conversation can have here. Nothing of it was imported; split it and import the parts`,
    )
  }
}
