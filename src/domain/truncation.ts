import { orderEnd, turnEnd, turnKey } from './order.ts'

/**
 * The place for a cut that keeps only the last messages of a line: the order of the last message dropped, or the end of
 * its turn when nothing of that turn is kept.
 *
 * @param newestFirst - the visible messages, newest first; those after the `keepLast + 1`st may be missing
 * @returns the order for a `cut` entry; `undefined` when there is nothing to drop
 */
export function planTruncation(
  newestFirst: readonly { readonly order: string }[],
  keepLast: number,
): string | undefined {
  const keep = Math.max(0, keepLast)
  const dropped = newestFirst[keep]
  if (dropped === undefined) return undefined
  const kept = newestFirst[keep - 1]
  if (kept === undefined) return orderEnd
  return turnKey(kept.order) === turnKey(dropped.order) ? dropped.order : turnEnd(dropped.order)
}
