/** An error that the model threw. Unlike other errors, its message is sent to the client. */
export class ModelFailure extends Error {
  /** The original error. */
  readonly reason: unknown

  constructor(reason: unknown) {
    super(reason instanceof Error ? reason.message : String(reason))
    this.reason = reason
    this.name = reason instanceof Error ? reason.name : 'Error'
  }
}
