import { SessionError } from '../contract/errors.ts'
import type { LeaderTerm, TermClaim } from '../contract/term.ts'
import type { WriteBatch } from '../contract/write-batch.ts'

/** The stored term before there was a leader. */
export const noTerm: LeaderTerm = { term: 0, holder: '', beat: 0 }

/** The term that a claim stores; `undefined` when another term was stored in the meantime. @throws InvalidInput */
export function claimedTerm(stored: LeaderTerm, { after, next }: TermClaim): LeaderTerm | undefined {
  const isStill = stored.term === after.term && stored.holder === after.holder && stored.beat === after.beat
  return isStill ? { term: next.term, holder: next.holder, beat: next.beat } : undefined
}

/** The terms that a batch names. */
export function termsOf({ sessions, erase, rows }: WriteBatch): ReadonlySet<number> {
  return new Set(
    [...sessions, ...erase, ...(rows ? [rows] : [])].flatMap(({ term }) => (term === undefined ? [] : [term])),
  )
}

/** Law B6. @throws NotLeader */
export function refuseOtherTerm(named: ReadonlySet<number>, { term: stored }: LeaderTerm): void {
  for (const term of named) {
    if (term !== stored)
      throw new SessionError(
        'NotLeader',
        `This write belongs to term ${term} of the leader, and the term is ${stored} by now. Nothing was written. The current leader does this work.`,
      )
  }
}
