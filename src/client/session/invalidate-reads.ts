import type { StoreChange } from '../../contract/change.ts'
import type { SessionClient } from '../client-contract.ts'
import type { OpenedStore } from '../opening/ladder.ts'

/** A worker that receives it reads everything again, as after a worker whose last changes were not announced. */
const missed: StoreChange = { type: 'notice', name: 'workerRestarted', message: '' }

const workers = new WeakMap<object, OpenedStore['announce']>()

/** Remembers how to announce changes to the worker of a client. */
export function noteWorker(client: object, { announce }: Pick<OpenedStore, 'announce'>): void {
  workers.set(client, announce)
}

/**
 * Makes the next reads of a client go to storage. Changes of another worker are announced over a separate channel, and
 * may arrive after an answer that includes them.
 */
export function invalidateReads(client: SessionClient): void {
  workers.get(client)?.([missed])
}
