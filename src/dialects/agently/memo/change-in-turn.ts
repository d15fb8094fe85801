import { runAlone } from '../../../client/context/run-alone.ts'
import { createSessionQueue } from '../../../client/session/session-queue.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'

/** Does one change of a session's metadata after the other. */
export type ChangeInTurn = <Result>(work: () => Promise<Result>) => Promise<Result>

const inOrder = createSessionQueue('Waiting for another change')

/**
 * Makes changes of `contextState` that read it and write it whole follow each other: over all handles of a store, and
 * in all tabs where the name of the database is given and there are Web Locks. Not those of the resize itself, which
 * may wait for a model that long.
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
      // Who has opened the session by an alias changes the same.
      const own = await store.resolveSessionKey(key)
      return runAlone({ store, key: `${own} contextState`, name }, undefined, work)
    })
}
