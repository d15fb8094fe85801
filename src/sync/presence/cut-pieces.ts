import type { GrowingDraft } from './growing-drafts.ts'
import type { DraftPiece } from './presence-state.ts'

/**
 * How many states may be lost on their way without a gap, except for the whole ones in between: two seconds of them.
 */
const overlap = 10

/**
 * Selects what the others need of a growing draft: what was added since some states ago, and from time to time as much
 * as one state carries.
 */
export function createPieceCutter(): {
  cut(draft: GrowingDraft): DraftPiece /** Somebody has come who has none of it. */
  restart(): void
} {
  let of: string | undefined
  let ends: number[] = []
  let count = 0
  return {
    cut: ({ id, role, length, tail }) => {
      if (of !== id) [of, ends, count] = [id, [], 0]
      const begin = length - tail.length
      const from = count++ % overlap === 0 ? begin : Math.max(begin, ends[0] ?? 0)
      ends = [...ends, length].slice(-overlap)
      return { id, role, from, text: tail.slice(from - begin) }
    },
    restart: () => {
      count = 0
    },
  }
}
