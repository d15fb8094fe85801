import { afterEach } from 'vitest'
import type { SessionClient } from '../../../src/client/client-contract.ts'
import { deleteSessionStore } from '../../../src/client/opening/delete-session-store.ts'
import { openSessionStore } from '../../../src/client/opening/open-session-store.ts'

/** Opens clients that are closed after each test, and whose databases are deleted then. */
export function useClients(): (name?: string) => Promise<SessionClient> {
  const clients: SessionClient[] = []
  afterEach(async () => {
    const ended = clients.splice(0)
    await Promise.all(ended.map((client) => client.close()))
    for (const name of new Set(ended.map((client) => client.name))) await deleteSessionStore(name)
  })
  return async (name = `bindings-${crypto.randomUUID()}`) => {
    const client = await openSessionStore({ name })
    clients.push(client)
    return client
  }
}
