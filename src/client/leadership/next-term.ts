import type { LeaderTerm } from '../../contract/term.ts'

/**
 * The term that follows another. Terms are times where the clock allows, so that the terms of a database that was lost
 * and created again differ from those of the old one.
 */
export function nextTerm({ term }: LeaderTerm, holder: string, now: number): LeaderTerm {
  return { term: Math.max(term + 1, Math.floor(now)), holder, beat: 0 }
}
