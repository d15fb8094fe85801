import { afterEach, expect, it } from 'vitest'
import type { SessionClient } from '../../src/client/client-contract.ts'
import { deleteSessionStore } from '../../src/client/opening/delete-session-store.ts'
import { openSessionStore } from '../../src/client/opening/open-session-store.ts'

const name = `collections-${crypto.randomUUID()}`
const clients: SessionClient[] = []

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
  await deleteSessionStore(name)
})

async function openTab(): Promise<SessionClient> {
  const client = await openSessionStore({ name, modes: ['worker'], timeoutMs: 30_000 })
  clients.push(client)
  return client
}

it('keeps rows in workers, which tell each other, and is gone with its store', async () => {
  const [here, there] = [await openTab(), await openTab()]
  const heard = new Promise((resolve) => {
    there.collection('settings').subscribe(resolve)
  })
  const bytes = new Uint8Array(100_000).map((_, i) => i % 251)
  await here.collection('settings').write([
    { type: 'put', key: 'bytes', value: bytes },
    { type: 'put', key: 'theme', value: { dark: true } },
  ])
  expect(await heard).toEqual(['bytes', 'theme'])
  expect(await there.collection('settings').range()).toEqual({
    rows: [
      { key: 'bytes', value: bytes },
      { key: 'theme', value: { dark: true } },
    ],
  })
  expect((await there.upkeep.usage()).collections).toEqual([{ name: 'settings', rows: 2, bytes: 100_013 }])
  for (const client of clients.splice(0)) await client.close()
  await deleteSessionStore(name)
  const again = await openTab()
  expect(await again.collection('settings').getAll(['theme', 'bytes'])).toEqual([undefined, undefined])
})

it('lets one of two tabs insert', async () => {
  const tabs = [await openTab(), await openTab()]
  const won = await Promise.all(
    tabs.map((tab, i) => tab.collection('locks').write([{ type: 'insertIfAbsent', key: 'job', value: i }])),
  )
  expect(won.flat().filter(Boolean)).toHaveLength(1)
})
