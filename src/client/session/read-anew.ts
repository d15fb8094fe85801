import type { StoreChange } from '../../contract/change.ts'
import type { SessionClient } from '../client-contract.ts'
import type { OpenedStore } from '../opening/ladder.ts'

/** A worker that hears it goes by nothing that it knows, as after one whose changes nobody was told. */
const missed: StoreChange = { type: 'notice', name: 'workerRestarted', message: '' }

const workers = new WeakMap<object, OpenedStore['announce']>()

/** Notes how the worker of a client's store is told something. */
export function noteWorker(client: object, { announce }: Pick<OpenedStore, 'announce'>): void {
  workers.set(client, announce)
}

/**
 * Has the next reads of a client look at what is stored. News from another worker comes over a channel of its own, and
 * may come after an answer that speaks of it.
 */
export function readAnew(client: SessionClient): void {
  workers.get(client)?.([missed])
}
