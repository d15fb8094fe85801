import { SessionError } from '../../../contract/errors.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import type { LeaderTerm, TermOptions } from '../../../contract/term.ts'
import type { Engine } from '../engine.ts'
import type { Mutation } from '../writing/mutation.ts'

/** The method for reading and claiming the term of the leader. */
export function createTermMethod({ backend }: Engine): Pick<SessionStore, 'claimTerm'> {
  return {
    claimTerm: async (claim) => {
      if (claim === undefined) return backend.claimTerm()
      const { after, next } = claim ?? {}
      if (!isTerm(after) || !isTerm(next) || next.term < after.term) {
        throw new SessionError(
          'InvalidInput',
          'A claim needs the term before it and the next one, each as { term, holder, beat }; terms never decrease.',
        )
      }
      return backend.claimTerm({ after, next })
    },
  }
}

function isTerm(value: unknown): value is LeaderTerm {
  const { term, holder, beat } = (value ?? {}) as Partial<LeaderTerm>
  return isCount(term) && isCount(beat) && typeof holder === 'string' && holder.length <= 256
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

/** The term of a write. @throws InvalidInput */
export function checkTerm(options: TermOptions | undefined): TermOptions {
  const term: unknown = options?.term
  if (term === undefined) return {}
  if (isCount(term)) return { term }
  throw new SessionError(
    'InvalidInput',
    `term must be a whole number of at least 0, from the leader's own work, got ${typeof term}.`,
  )
}

/** The same change, bound to the term that its caller names. @throws InvalidInput */
export function inTerm<Facts, Result>(
  mutation: Mutation<Facts, Result>,
  options: TermOptions | undefined,
): Mutation<Facts, Result> {
  return options?.term === undefined ? mutation : { ...mutation, ...checkTerm(options) }
}
