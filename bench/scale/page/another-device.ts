import type { SessionClient } from '../../../src/client/client-contract.ts'
import { openSync } from '../../../src/sync.ts'

const roundLimit = 20

/**
 * Syncs a client with another one that has nothing, until that has all of its sessions. Both do so as apps do, in a
 * worker: the bytes go from worker to worker, and the page only opens the way.
 */
export async function meetAnotherDevice(client: SessionClient, open: () => Promise<SessionClient>): Promise<void> {
  const { total } = await client.listSessions({ limit: 1 })
  const other = await open()
  const { port1, port2 } = new MessageChannel()
  const syncs = [
    openSync(client, { namespace: 'bench', transport: { kind: 'port', open: () => port1 } }),
    openSync(other, { namespace: 'bench', transport: { kind: 'port', open: () => port2 } }),
  ]
  try {
    let found = 0
    for (let round = 0; round < roundLimit; round++) {
      await Promise.all(syncs.map((sync) => sync.syncNow()))
      found = (await other.listSessions({ limit: 1 })).total
      if (found === total) return
    }
    throw new Error(`The other device has ${found} of ${total} sessions after ${roundLimit} exchanges.`)
  } finally {
    await Promise.all(syncs.map((sync) => sync.close()))
    await other.close()
  }
}
