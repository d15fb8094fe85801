import { afterEach, expect, it } from 'vitest'
import type { SessionClient } from '../../src/client/client-contract.ts'
import type { OpenOptions } from '../../src/client/open-options.ts'
import type { NoticeChange } from '../../src/contract/change.ts'
import { deleteSessionStore, openSessionStore } from '../../src/index.ts'
import { hasOpfs, needsOpfs } from '../support/opfs.ts'

const opened: SessionClient[] = []
afterEach(async () => {
  for (const client of opened.splice(0)) await client.close()
})

async function open(
  name: string,
  options: OpenOptions = {},
): Promise<{ readonly client: SessionClient; readonly notices: NoticeChange[] }> {
  const notices: NoticeChange[] = []
  const client = await openSessionStore({
    name,
    mirror: false,
    ...options,
    onChange: (change) => void (change.type === 'notice' && notices.push(change)),
  })
  opened.push(client)
  return { client, notices }
}

function deleteDatabase(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const deletion = indexedDB.deleteDatabase(name)
    deletion.onsuccess = () => resolve()
    deletion.onerror = () => reject(deletion.error)
  })
}

/** Has a store with one session in it, whose marker knows that. */
async function openMarked(name: string): ReturnType<typeof open> {
  const one = await open(name)
  await one.client.store.addMessage('k', 'user', 'hi')
  await expect.poll(() => localStorage.getItem(`keepsession.known:${name}`)).toContain('"sessions":1')
  return one
}

const drawName = (): string => `data-loss-${crypto.randomUUID()}`
const oneSession = { name: 'dataLost', lost: { sessions: 1, updatedAt: expect.any(Number) } }

it('tells what is missing when its database is deleted under it, refuses to go on, and begins a new one when it is opened again', async () => {
  const name = drawName()
  const { client, notices } = await openMarked(name)
  await deleteDatabase(name)
  await expect(client.store.addMessage('k', 'user', 'next')).rejects.toMatchObject({ name: 'DataLoss' })
  await expect(client.store.getHistory('k')).rejects.toMatchObject({ name: 'DataLoss' })
  await expect.poll(() => notices).toMatchObject([oneSession])
  await client.close()
  const again = await open(name)
  await again.client.store.addMessage('k', 'user', 'afresh')
  expect(await again.client.store.getHistory('k')).toEqual([{ role: 'user', content: 'afresh' }])
  await expect.poll(() => again.notices).toMatchObject([oneSession])
})

it.skipIf(!hasOpfs).each<[string, (name: string) => void | Promise<void>]>([
  [
    'Web Storage was cleared',
    (name) => ['epoch', 'known'].forEach((kind) => localStorage.removeItem(`keepsession.${kind}:${name}`)),
  ],
  [
    'the files of the origin were cleared',
    async () => (await navigator.storage.getDirectory()).removeEntry('keepsession', { recursive: true }),
  ],
])(`tells of a lost database where %s as well${needsOpfs}`, async (_, clear) => {
  const name = drawName()
  const { client } = await openMarked(name)
  await expect.poll(async () => (await readMarkers()).some((text) => text.includes('"sessions":1'))).toBe(true)
  await client.close()
  await deleteDatabase(name)
  await clear(name)
  const { notices } = await open(name)
  await expect.poll(() => notices).toMatchObject([oneSession])
})

it.skipIf(!hasOpfs)(
  `tells once that a session has gone back behind what a file of the origin says of it, whatever Web Storage has kept${needsOpfs}`,
  async () => {
    const name = drawName()
    const first = await open(name)
    await first.client.store.addMessage('k', 'user', 'hi')
    const { updatedAt } = (await first.client.store.getMeta('k'))!
    await expect.poll(async () => (await readTail(name)).text).toContain(String(updatedAt))
    await first.client.close()
    localStorage.removeItem(`keepsession.tail:${name}`)
    const { handle, text } = await readTail(name)
    const writing = await handle!.createWritable()
    await writing.write(text.replace(`${updatedAt}]`, `${updatedAt + 5}]`))
    await writing.close()
    const second = await open(name)
    await expect
      .poll(() => second.notices)
      .toMatchObject([{ name: 'dataLost', lost: { sessions: 1, updatedAt: updatedAt + 5 } }])
    await expect.poll(async () => (await readTail(name)).text).toContain(`${updatedAt}]`)
    await second.client.close()
    const third = await open(name)
    await third.client.store.addMessage('k', 'user', 'on')
    await expect.poll(async () => (await readTail(name)).text).not.toContain(`${updatedAt}]`)
    expect(third.notices).toEqual([])
  },
)

it('tells nothing of a store that is new, and nothing of one that was deleted on purpose', async () => {
  const name = drawName()
  const first = await openMarked(name)
  await first.client.close()
  await deleteSessionStore(name)
  const second = await open(name)
  await second.client.store.addMessage('k', 'user', 'hi')
  await expect.poll(() => localStorage.getItem(`keepsession.epoch:${name}`)).not.toBeNull()
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect([...first.notices, ...second.notices]).toEqual([])
})

it("says that sessions are there and don't show, where only memory can be had", async () => {
  const name = drawName()
  const first = await openMarked(name)
  await first.client.close()
  const { notices } = await open(name, { modes: ['worker', 'memory'], worker: () => new Worker('/no-such-file.js') })
  await expect.poll(() => notices.map(({ message }) => message).join(' ')).toContain('about 1 sessions')
})

async function readMarkers(): Promise<string[]> {
  const texts: string[] = []
  const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('keepsession')
  for await (const [name, handle] of folder.entries())
    if (name.endsWith('.known')) texts.push(await (await (handle as FileSystemFileHandle).getFile()).text())
  return texts
}

async function readTail(name: string): Promise<{ readonly handle?: FileSystemFileHandle; readonly text: string }> {
  const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('keepsession', { create: true })
  for await (const [file, handle] of folder.entries()) {
    if (file.startsWith(name) && file.endsWith('.tail'))
      return {
        handle: handle as FileSystemFileHandle,
        text: await (await (handle as FileSystemFileHandle).getFile()).text(),
      }
  }
  return { text: '' }
}
