import { afterEach, describe, expect, it, vi } from 'vitest'
import type { SessionClient } from '../../src/client/client-contract.ts'
import type { StoreChange } from '../../src/contract/change.ts'
import { bytesOf, header, linear, sourceKey } from '../formats/support/pi-file.ts'
import { createProfile } from './support/open-port-client.ts'

const clients: SessionClient[] = []
/** A client in whose browser tabs don't hear each other. */
async function open(onChange: (change: StoreChange) => void = () => undefined): Promise<SessionClient> {
  vi.stubGlobal(
    'BroadcastChannel',
    class {
      postMessage(): void {}
      close(): void {}
    },
  )
  const profile = createProfile()
  vi.stubGlobal('Worker', function () {
    return profile.makeFileWorker()
  })
  const client = await profile.open({ name: 'files', onChange })
  clients.push(client)
  return client
}
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
  vi.unstubAllGlobals()
})

const file = (count: number): Blob => new Blob([bytesOf([header(), ...linear(count)])])

describe('what a job with files changes', () => {
  it('is known to the next read, also of a session and a list that were at hand', async () => {
    const client = await open()
    const seen = async () => [
      (await client.listSessions()).sessions.map(({ key, messageCount }) => [key, messageCount]),
      (await client.store.getHistory(sourceKey)).length,
    ]
    expect(await seen()).toEqual([[], 0])
    await client.files.import(file(2), { format: 'pi' }).result
    expect(await seen()).toEqual([[[sourceKey, 2]], 2])
    await client.files.import(file(5), { format: 'pi' }).result
    expect(await seen()).toEqual([[[sourceKey, 5]], 5])
  })

  it('is told to the live queries of the page before the job resolves', async () => {
    const changes: StoreChange[] = []
    const client = await open((change) => changes.push(change))
    await client.files.import(file(2), { format: 'pi' }).result
    expect(changes).toContainEqual(
      expect.objectContaining({
        type: 'session',
        key: sourceKey,
        listing: expect.objectContaining({ messageCount: 2 }),
      }),
    )
  })
})
