/** Says that it was the model that threw: what it says is meant for who asked it, other mistakes are not. */
export class ModelFailure extends Error {
  /** What it threw. */
  readonly reason: unknown

  constructor(reason: unknown) {
    super(reason instanceof Error ? reason.message : String(reason))
    this.reason = reason
    this.name = reason instanceof Error ? reason.name : 'Error'
  }
}
