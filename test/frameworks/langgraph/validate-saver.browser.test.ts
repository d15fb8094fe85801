import { deleteSessionStore } from '../../../src/client/opening/delete-session-store.ts'
import { openSessionStore } from '../../../src/client/opening/open-session-store.ts'
import { validateSaver } from './support/validate-saver.ts'

const names = new Map<object, string>()

validateSaver(
  async () => {
    const name = `graphs-${crypto.randomUUID()}`
    const client = await openSessionStore({ name, modes: ['worker'], timeoutMs: 30_000 })
    names.set(client, name)
    return client
  },
  async (client) => {
    await client.close()
    await deleteSessionStore(names.get(client)!)
  },
)
