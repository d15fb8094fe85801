import { afterEach, describe, expect, it } from 'vitest'
import type { SessionClient } from '../../src/client/client-contract.ts'
import type { OpenOptions } from '../../src/client/open-options.ts'
import type { StoreChange } from '../../src/contract/change.ts'
import { deleteSessionStore, openSessionStore } from '../../src/index.ts'
import { opfsDirectory } from '../../src/mirror/opfs-directory.ts'
import { createWorkerFactory } from '../client/support/real-worker.ts'
import { hasOpfs, needsOpfs } from '../support/opfs.ts'

const opened: SessionClient[] = []
afterEach(async () => {
  for (const client of opened.splice(0)) await client.close()
})

async function open(options: OpenOptions & { readonly name: string }): Promise<SessionClient> {
  const client = await openSessionStore(options)
  opened.push(client)
  return client
}

function deleteDatabase(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const deletion = indexedDB.deleteDatabase(name)
    deletion.onsuccess = () => resolve()
    deletion.onerror = () => reject(deletion.error)
  })
}

async function mirrored(name: string): Promise<string> {
  const texts: string[] = []
  for await (const file of (await opfsDirectory(name)).values())
    texts.push(await (await (file as FileSystemFileHandle).getFile()).text())
  return texts.join('')
}

const drawName = (): string => `mirror-${crypto.randomUUID()}`

describe.skipIf(!hasOpfs)(`a mirror${needsOpfs}`, () => {
  it('fills a database again that was deleted while nobody had it open, and says so', async () => {
    const name = drawName()
    const first = await open({ name })
    await first.store.append('k', [{ type: 'message', message: { role: 'user', content: 'hi' } }])
    await first.collection('settings').write([{ type: 'put', key: 'theme', value: { dark: true } }])
    await first.collection('settings').write([{ type: 'put', key: 'icon', value: new Uint8Array([1, 2, 255]) }])
    await first.close()
    await deleteDatabase(name)
    const notices: StoreChange[] = []
    const second = await open({ name, onChange: (change) => void (change.type === 'notice' && notices.push(change)) })
    expect(await second.store.getHistory('k')).toEqual([{ role: 'user', content: 'hi' }])
    expect(await second.collection('settings').get('theme')).toEqual({ dark: true })
    expect(await second.collection('settings').get('icon')).toEqual(new Uint8Array([1, 2, 255]))
    await expect.poll(() => notices).toMatchObject([{ name: 'refilled' }])
  })

  it('fills a database again that was deleted under an open page, which goes on', async () => {
    const name = drawName()
    const notices: string[] = []
    const client = await open({
      name,
      onChange: (change) => void (change.type === 'notice' && notices.push(change.name)),
    })
    await client.store.append('k', [{ type: 'message', message: { role: 'user', content: 'one' } }])
    await deleteDatabase(name)
    // The call that finds out is told; whoever asks again gets an answer.
    await client.store.getHistory('k').catch(() => undefined)
    await expect.poll(() => client.store.getHistory('k').catch(() => [])).toEqual([{ role: 'user', content: 'one' }])
    await client.store.append('k', [{ type: 'message', message: { role: 'assistant', content: 'two' } }])
    expect(await client.store.getHistory('k')).toHaveLength(2)
    // The comparison with the mirror, some seconds after the opening, may meet the deletion, and says so.
    expect(notices.filter((name) => name !== 'degraded')).toEqual(['refilled', 'workerRestarted'])
  })

  it('keeps what was answered right before the worker was killed', async () => {
    const name = drawName()
    const { made, make } = createWorkerFactory()
    const client = await open({ name, modes: ['worker'], worker: make })
    const say = (content: string) =>
      client.store.append('k', [{ type: 'message', message: { role: 'user', content } }], { durability: 'relaxed' })
    const texts: string[] = []
    for (let kill = 0; kill < 5; kill++) {
      for (let i = 0; i < 4; i++) {
        texts.push(`${kill}.${i}`)
        await say(`${kill}.${i}`)
      }
      made.at(-1)?.terminate()
      expect((await client.store.getHistory('k')).map(({ content }) => content)).toEqual(texts)
    }
    expect((await client.store.verify()).problems).toEqual([])
  })

  it('keeps nothing in the mirror of a session that is purged, in this tab or another', async () => {
    const name = drawName()
    const [first, second] = [await open({ name }), await open({ name })]
    await first.store.append('k', [{ type: 'message', message: { role: 'user', content: 'a secret' } }])
    await second.store.append('k', [{ type: 'message', message: { role: 'user', content: 'another secret' } }])
    expect(await mirrored(name)).toContain('secret')
    await first.purge('k')
    await expect.poll(() => mirrored(name)).not.toContain('secret')
  })

  it.each<OpenOptions>([{ modes: ['in-page'] }, { mirror: false }])(
    'brings nothing back that was purged where nothing is mirrored (%j)',
    async (options) => {
      const name = drawName()
      const first = await open({ name })
      await first.store.append('k', [{ type: 'message', message: { role: 'user', content: 'a secret' } }])
      await first.close()
      const page = await open({ name, ...options })
      await page.purge('k')
      await page.close()
      await deleteDatabase(name)
      const second = await open({ name })
      expect(await second.store.getMeta('k')).toBeUndefined()
      expect(await mirrored(name)).not.toContain('secret')
    },
  )

  it('brings nothing back that was purged in the page while the files of workers could not be read', async () => {
    const name = drawName()
    const first = await open({ name })
    await first.store.append('k', [{ type: 'message', message: { role: 'user', content: 'a secret' } }])
    await first.close()
    const page = await open({ name, modes: ['in-page'] })
    const { getFile } = FileSystemFileHandle.prototype
    FileSystemFileHandle.prototype.getFile = () =>
      Promise.reject(new DOMException('The file has changed.', 'NotReadableError'))
    try {
      await page.purge('k')
    } finally {
      FileSystemFileHandle.prototype.getFile = getFile
    }
    await page.close()
    const second = await open({ name })
    await expect.poll(() => mirrored(name)).not.toContain('secret')
    expect(await second.store.getMeta('k')).toBeUndefined()
  })

  it('erases rows that are replaced, also while more are written all the time', async () => {
    const name = drawName()
    const client = await open({ name })
    const settings = client.collection('settings')
    const until = performance.now() + 3000
    for (let i = 0; performance.now() < until; i++)
      await settings.write([
        { type: 'put', key: `k${i % 7}`, value: `secret ${i}` },
        { type: 'put', key: 'counter', value: i },
      ])
    await settings.write(Array.from({ length: 7 }, (_, i) => ({ type: 'put', key: `k${i}`, value: 'open' })))
    expect(await mirrored(name)).toContain('open')
    await expect.poll(() => mirrored(name), { timeout: 8000 }).not.toContain('secret')
    expect((await client.upkeep.health()).mirror).toMatchObject({ isOn: true })
  })

  it('deletes nothing while a tab does not close the store, and says so', async () => {
    const name = drawName()
    const first = await open({ name })
    await first.store.append('k', [{ type: 'message', message: { role: 'user', content: 'hi' } }])
    let thaw = (): void => undefined
    const frozen = new Promise<void>((resolve) => (thaw = resolve))
    const holding = navigator.locks.request(`keepsession:${name}:page:frozen`, () => frozen)
    const inWebStorage = `keepsession:${name}:alias:a`
    localStorage.setItem(inWebStorage, 'k')
    await expect(deleteSessionStore(name)).rejects.toMatchObject({ name: 'StorageUnavailable' })
    expect(localStorage.getItem(inWebStorage)).toBe('k')
    thaw()
    await holding
    expect(await (await open({ name })).store.getHistory('k')).toHaveLength(1)
  })

  it('deletes a store with its mirror, and closes the clients that have it open', async () => {
    const name = drawName()
    const told: StoreChange[] = []
    const first = await open({ name, onChange: (change) => void (change.type === 'notice' && told.push(change)) })
    await first.store.append('k', [{ type: 'message', message: { role: 'user', content: 'a secret' } }])
    await deleteSessionStore(name)
    expect(told).toMatchObject([{ name: 'storeDeleted' }])
    await expect(first.store.getHistory('k')).rejects.toMatchObject({ name: 'StorageClosed' })
    const notices: StoreChange[] = []
    const second = await open({ name, onChange: (change) => void (change.type === 'notice' && notices.push(change)) })
    expect((await second.listSessions({})).sessions).toEqual([])
    expect(await mirrored(name)).not.toContain('secret')
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(notices).toEqual([])
  })

  it('tells whether it mirrors, and does not where it shall not', async () => {
    expect((await (await open({ name: drawName() })).upkeep.health()).mirror).toMatchObject({ isOn: true })
    const name = drawName()
    const client = await open({ name, mirror: false })
    await client.store.append('k', [{ type: 'message', message: { role: 'user', content: 'hi' } }])
    expect((await client.upkeep.health()).mirror).toMatchObject({ isOn: false })
    expect(await mirrored(name)).toBe('')
  })
})

describe.skipIf(hasOpfs)(`without OPFS${hasOpfs ? ' (not here: this browser has it)' : ''}`, () => {
  it('says that nothing is mirrored and why, and works', async () => {
    const client = await open({ name: drawName() })
    await client.store.append('k', [{ type: 'message', message: { role: 'user', content: 'hi' } }])
    expect(await client.upkeep.health()).toMatchObject({
      mode: 'worker',
      mirror: { isOn: false, reason: expect.any(String) as unknown },
    })
    expect(await client.store.getHistory('k')).toEqual([{ role: 'user', content: 'hi' }])
  })

  it('tells of a database that was deleted while nobody had it open, which nothing can fill again', async () => {
    const name = drawName()
    const first = await open({ name })
    await first.store.append('k', [{ type: 'message', message: { role: 'user', content: 'hi' } }])
    await first.close()
    await deleteDatabase(name)
    const notices: StoreChange[] = []
    const second = await open({ name, onChange: (change) => void (change.type === 'notice' && notices.push(change)) })
    await expect.poll(() => notices).toMatchObject([{ name: 'dataLost' }])
    expect(await second.store.getMeta('k')).toBeUndefined()
  })

  it.each<OpenOptions>([{}, { modes: ['in-page'] }])(
    'refuses to go on in a database that was deleted under an open page, and says so (%j)',
    async (options) => {
      const name = drawName()
      const notices: string[] = []
      const client = await open({
        name,
        ...options,
        onChange: (change) => void (change.type === 'notice' && notices.push(change.name)),
      })
      await client.store.append('k', [{ type: 'message', message: { role: 'user', content: 'one' } }])
      await deleteDatabase(name)
      await expect(
        client.store.append('k', [{ type: 'message', message: { role: 'user', content: 'two' } }]),
      ).rejects.toMatchObject({ name: 'DataLoss' })
      await expect.poll(() => notices).toEqual(['dataLost'])
    },
  )

  it.each<OpenOptions>([{}, { modes: ['in-page'] }])(
    'purges a session, and deletes a store that a tab has open (%j)',
    async (options) => {
      const name = drawName()
      const first = await open({ name, ...options })
      for (const key of ['k', 'other'])
        await first.store.append(key, [{ type: 'message', message: { role: 'user', content: 'a secret' } }])
      await first.purge('k')
      expect(await first.store.getMeta('k')).toBeUndefined()
      await deleteSessionStore(name)
      const second = await open({ name })
      expect((await second.listSessions({})).sessions).toEqual([])
    },
  )
})
