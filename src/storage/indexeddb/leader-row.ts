import type { LeaderTerm, TermClaim } from '../../contract/term.ts'
import { claimedTerm, noTerm } from '../leader-term.ts'
import type { Connection } from './connection.ts'
import { leaderKey } from './schema.ts'

/** Reads who leads, or stores a claim to lead. @returns the term that is stored afterwards */
export async function claimLeaderRow({ read, write }: Connection, claim: TermClaim | undefined): Promise<LeaderTerm> {
  if (claim === undefined) {
    return read<LeaderTerm>(['info'], 'see who leads', (steps) =>
      steps.read<LeaderTerm | undefined>(steps.store('info').get(leaderKey), (leader = noTerm) => steps.answer(leader)),
    )
  }
  let found = noTerm
  // The row must outlive tabs but not a power cut, as no leader survives one.
  await write(['info'], 'relaxed', 'change who leads', (steps) =>
    steps.read<LeaderTerm | undefined>(steps.store('info').get(leaderKey), (leader = noTerm) => {
      const claimed = claimedTerm(leader, claim)
      found = claimed ?? leader
      if (claimed !== undefined) steps.store('info').put(claimed, leaderKey)
    }),
  )
  return found
}
