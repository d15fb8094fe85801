import { SessionError } from '../../contract/errors.ts'

/**
 * Why two devices were not paired: the time was over; one of the two persons said no (or went away); somebody else takes part; what came does not
 * belong to this pairing.
 */
export type PairingProblem = 'expired' | 'refused' | 'interfered' | 'forged'

const advice: Readonly<Record<PairingProblem, string>> = {
  expired: 'The pairing took too long, or its link is too old (look at the clocks of both devices). Begin again, with a new code or link.',
  refused: 'The other device ended the pairing, or the digits were not the same. When they differed, somebody may stand between the devices: begin again on another network.',
  interfered: 'More than two devices take part in this pairing. Nothing more was sent. Begin again, with a new code.',
  forged: 'What came from the other side does not belong to this pairing: somebody may stand between the devices. Begin again, with a new code.',
}

/** A pairing that ended without a key. Every one is of one use: begin anew. */
export class PairingError extends SessionError {
  readonly problem: PairingProblem

  constructor(problem: PairingProblem, options?: { readonly cause?: unknown }) {
    super('AccessDenied', advice[problem], options)
    this.problem = problem
  }
}
