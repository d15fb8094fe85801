import { afterEach, expect, it } from 'vitest'
import type { SessionClient } from '../../src/client/client-contract.ts'
import { openSessionStore } from '../../src/client/opening/open-session-store.ts'
import type { NoticeChange } from '../../src/contract/change.ts'
import { opfsDirectory } from '../../src/mirror/opfs-directory.ts'
import { changeStore } from '../storage/damage-indexeddb.ts'
import { hasOpfs, needsOpfs } from '../support/opfs.ts'

const clients: SessionClient[] = []
const notices: NoticeChange[] = []
async function open(name: string, mirror: boolean): Promise<SessionClient> {
  const client = await openSessionStore({
    name,
    modes: ['worker'],
    mirror,
    onChange: (change) => void (change.type === 'notice' && notices.push(change)),
  })
  clients.push(client)
  return client
}
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})

const texts = async (client: SessionClient, key: string) =>
  (await client.store.getHistory(key)).map(({ content }) => content)

it('gives a session back whose row was damaged, in the worker and in its list', async () => {
  const name = `salvage-${crypto.randomUUID()}`
  const client = await open(name, false)
  for (const key of ['a', 'b']) for (let i = 0; i < 80; i++) void client.store.addMessage(key, 'user', `${key}${i}`)
  await client.close()
  await changeStore(indexedDB, name, 'sessions', (sessions) => sessions.put({ key: 'a', nonsense: true }))
  const again = await open(name, false)
  expect((await again.listSessions()).sessions.map(({ key, messageCount }) => [key, messageCount]).sort()).toEqual([
    ['a', 80],
    ['b', 80],
  ])
  expect(await texts(again, 'a')).toEqual(Array.from({ length: 80 }, (_, i) => `a${i}`))
  expect(notices.map((notice) => notice.name)).toContain('repaired')
  expect((await again.upkeep.verify().result).problems).toEqual([])
})

it.skipIf(!hasOpfs)(`takes what is compacted out of the mirror of the worker that lives${needsOpfs}`, async () => {
  const name = `compacted-${crypto.randomUUID()}`
  const client = await open(name, true)
  const { entries } = await client.store.append(
    's',
    ['a secret', 'kept'].map((content) => ({ type: 'message', message: { role: 'user', content } })),
  )
  const mirrored = async (): Promise<string> => {
    const found: string[] = []
    for await (const [file, handle] of (await opfsDirectory(name, false)).entries())
      if (file.endsWith('.log')) found.push(await (await (handle as FileSystemFileHandle).getFile()).text())
    return found.join('')
  }
  await expect.poll(mirrored).toContain('a secret')
  await client.store.remove('s', entries[0]!)
  // With what says that it was removed.
  expect(await client.store.reclaim('s')).toBe(2)
  await expect.poll(mirrored).not.toContain('a secret')
  expect(await mirrored()).toContain('kept')
  expect((await client.store.usage()).kinds.mirror?.bytes).toBeGreaterThan(0)
})
