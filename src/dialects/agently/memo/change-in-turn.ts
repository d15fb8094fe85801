import { runAlone } from '../../../client/context/run-alone.ts'
import { createSessionQueue } from '../../../client/session/session-queue.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'

/** Runs changes of a session's metadata one after the other. */
export type ChangeInTurn = <Result>(work: () => Promise<Result>) => Promise<Result>

const inOrder = createSessionQueue('Waiting for another change')

/**
 * Makes a queue for changes of `contextState`, each of which reads the field and writes it as a whole. It covers all
 * handles of a store, and all tabs if the name of the database is given and there are Web Locks. A resize uses another
 * lock, because it may wait for a model for a long time.
 */
export function createChangeInTurn({
  store,
  key,
  name,
}: {
  readonly store: SessionStore
  readonly key: string
  readonly name?: string | undefined
}): ChangeInTurn {
  return (work) =>
    inOrder({ store, key }, undefined, async () => {
      // A handle that was opened by an alias changes the same session.
      const own = await store.resolveSessionKey(key)
      return runAlone({ store, key: `${own} contextState`, name }, undefined, work)
    })
}
