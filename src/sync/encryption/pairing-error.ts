import { SessionError } from '../../contract/errors.ts'

/**
 * Why two devices were not paired: the time was over; one of the two persons refused or went away; a third device took
 * part; a message does not belong to this pairing.
 */
export type PairingProblem = 'expired' | 'refused' | 'interfered' | 'forged'

const advice: Readonly<Record<PairingProblem, string>> = {
  expired:
    'The pairing took too long, or its link is too old (check the clocks of both devices). Start again, with a new code or link.',
  refused:
    'The other device ended the pairing, or the digits were not the same. If they differed, somebody may be between the devices: start again on another network.',
  interfered: 'More than two devices take part in this pairing. Nothing more was sent. Start again, with a new code.',
  forged:
    'What came from the other side does not belong to this pairing: somebody may be between the devices. Start again, with a new code.',
}

/** A pairing that ended without a key. Each pairing can be used once: start again. */
export class PairingError extends SessionError {
  readonly problem: PairingProblem

  constructor(problem: PairingProblem, options?: { readonly cause?: unknown }) {
    super('AccessDenied', advice[problem], options)
    this.problem = problem
  }
}
