import type { LeaderTerm } from '../../contract/term.ts'

/**
 * The term that begins after another. Terms are times where the clock allows, so that those of a database that was lost
 * and made anew, which begin again, are no terms of the old one.
 */
export function nextTerm({ term }: LeaderTerm, holder: string, now: number): LeaderTerm {
  return { term: Math.max(term + 1, Math.floor(now)), holder, beat: 0 }
}
