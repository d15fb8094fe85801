/** Runs passes one after the other. */
export interface PassRunner {
  /** Resolves when everything that is pending now has been through a pass. */
  run(): Promise<void>
  /** The running pass. */
  running(): Promise<void> | undefined
}

/**
 * @param pass - indexes what is pending. When it rejects, so does `run` for everybody who waits for this pass
 * @param refusal - the error for a closed search
 */
export function createPassRunner(pass: () => Promise<void>, refusal: () => Error | undefined): PassRunner {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined

  function run(): Promise<void> {
    const error = refusal()
    if (error !== undefined) return Promise.reject(error)
    if (running === undefined) {
      running = pass().finally(() => (running = undefined))
      return running
    }
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined
        return run()
      })
    return next
  }

  return { run, running: () => running }
}
