import type { KeyScopes } from './key-scopes.ts'
import type { SyncDriver } from './sync-driver.ts'

/** Checks how our key stands among those of the others, one check after the other. */
export interface KeyChecks {
  /** Resolves when no more checks are needed, and what follows from that is done. */
  check(): Promise<unknown>
  /** Settles when the checks so far have ended. */
  done(): Promise<unknown>
}

export function createKeyChecks(driver: SyncDriver, scopes: KeyScopes): KeyChecks {
  let checking: Promise<unknown> = Promise.resolve()
  return {
    check: () =>
      (checking = checking.then(() => scopes.current().gate.check()).then(() => driver.send({ type: 'keySettled' }))),
    done: () => checking,
  }
}
