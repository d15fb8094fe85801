import { afterEach, describe, expect, it } from 'vitest'
import {
  createDeviceKey,
  deleteSessionStore,
  type Encryption,
  openSessionStore,
  type SessionClient,
} from '../../src/index.ts'
import type { StoreMode } from '../../src/types.ts'
import { hasOpfs, needsOpfs } from '../support/opfs.ts'
import { allText } from './support/all-text.ts'
import { richSessionTexts, secret, writeRichSession } from './support/rich-session.ts'

const clients: SessionClient[] = []
const names: string[] = []
const drawName = (): string => {
  const name = `sealed-${crypto.randomUUID()}`
  names.push(name)
  return name
}

async function open(name: string, encryption?: Encryption, mode: StoreMode = 'worker'): Promise<SessionClient> {
  const client = await openSessionStore({ name, modes: [mode], timeoutMs: 20_000, ...(encryption && { encryption }) })
  clients.push(client)
  return client
}
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
  for (const name of names.splice(0)) await deleteSessionStore(name)
})

/** A draft that is left open would become an entry as soon as its page is gone. */
async function writeWhole(client: SessionClient): Promise<void> {
  await writeRichSession(client.store)
  for (const { id } of await client.store.listDrafts('s')) await client.store.sealDraft('s', id)
}

/** What lies in the files of the origin. */
async function allFiles(folder?: FileSystemDirectoryHandle): Promise<string> {
  const found: string[] = []
  for await (const [name, handle] of (folder ?? (await navigator.storage.getDirectory())).entries()) {
    found.push(
      name,
      handle.kind === 'directory'
        ? await allFiles(handle as FileSystemDirectoryHandle)
        : new TextDecoder('latin1').decode(await (await (handle as FileSystemFileHandle).getFile()).arrayBuffer()),
    )
  }
  return found.join('\n')
}

describe('an encrypted store in a worker', () => {
  it('leaves no text in any database or file of the origin, and finds it all the same', async () => {
    const name = drawName()
    const client = await open(name, { passphrase: 'correct' })
    await writeWhole(client)
    expect((await client.search(secret)).length).toBeGreaterThan(0)
    const before = await richSessionTexts(client.store)
    expect(await client.upkeep.health()).toMatchObject({
      mode: 'worker',
      mirror: { isOn: hasOpfs },
      encryption: { isMixed: false },
    })
    await client.close()
    if (hasOpfs) {
      const files = await allFiles()
      expect(files).toContain('"s"')
      expect(files).not.toContain(secret)
    }
    expect(await allText(indexedDB)).not.toContain(secret)
    await expect(open(name, { passphrase: 'wrong' })).rejects.toMatchObject({ name: 'WrongPassphrase' })
    await expect(open(name)).rejects.toMatchObject({ name: 'WrongPassphrase' })
    const inPage = await open(name, { passphrase: 'correct' }, 'in-page')
    expect(await richSessionTexts(inPage.store)).toBe(before)
  })

  it('takes another passphrase and a new data key by a job, and its workers go on', async () => {
    const name = drawName()
    const client = await open(name, { key: await createDeviceKey(name) })
    await writeWhole(client)
    const before = await richSessionTexts(client.store)
    expect(
      (await client.upkeep.changeEncryption({ passphrase: 'next' }, { rotate: true }).result).rewritten,
    ).toBeGreaterThan(0)
    expect(await richSessionTexts(client.store)).toBe(before)
    // A job worker of its own, and the search, are opened with what opens it now.
    expect((await client.store.verify()).problems).toEqual([])
    expect((await client.search(secret)).length).toBeGreaterThan(0)
    await client.close()
    expect(await richSessionTexts((await open(name, { passphrase: 'next' })).store)).toBe(before)
    indexedDB.deleteDatabase(`keepsession-key:${name}`)
  })

  it.each<StoreMode>(['worker', 'in-page'])(
    'takes a new data key after another passphrase, in mode %s',
    async (mode) => {
      const name = drawName()
      const client = await open(name, { passphrase: 'old' }, mode)
      await writeWhole(client)
      const before = await richSessionTexts(client.store)
      expect((await client.search(secret)).length).toBeGreaterThan(0)
      await client.upkeep.changeEncryption({ passphrase: 'new' }).result
      await client.upkeep.changeEncryption(undefined, { rotate: true }).result
      expect(await richSessionTexts(client.store)).toBe(before)
      await (await client.session('t')).append({ role: 'user', content: `more ${secret}` })
      expect((await client.search(`more ${secret}`)).length).toBeGreaterThan(0)
    },
  )

  it('waits in the page for whoever changes the keys, and can be cancelled meanwhile', async () => {
    const name = drawName()
    const client = await open(name, { passphrase: 'p' }, 'in-page')
    await writeWhole(client)
    const lock = `keepsession:${name}:keys`
    let release: () => void = () => undefined
    await new Promise<void>((held) => {
      void navigator.locks.request(lock, () => new Promise<void>((end) => (release = (held(), end))))
    })
    const waiting = async (): Promise<number> =>
      ((await navigator.locks.query()).pending ?? []).filter((one) => one.name === lock).length
    const ending = new AbortController()
    const cancelled = client.upkeep.changeEncryption(null, { signal: ending.signal }).result
    const outcome = expect(cancelled).rejects.toMatchObject({ name: 'Aborted' })
    await expect.poll(waiting).toBe(1)
    ending.abort()
    await outcome
    const { result } = client.upkeep.changeEncryption(undefined, { rotate: true })
    await expect.poll(waiting).toBe(1)
    release()
    expect((await result).rewritten).toBeGreaterThan(0)
  })

  it.skipIf(!hasOpfs)(
    `counts as mixed while the mirror has plain content that the page could not replace${needsOpfs}`,
    async () => {
      const name = drawName()
      const plain = await open(name)
      await writeWhole(plain)
      await plain.close()
      const encryption = { passphrase: 'p' }
      const isMixed = async (client: SessionClient): Promise<boolean | undefined> =>
        (await client.upkeep.health()).encryption?.isMixed
      for (const mode of ['in-page', 'worker'] as const) {
        const client = await open(name, encryption, mode)
        expect(await isMixed(client)).toBe(true)
        await client.upkeep.changeEncryption(undefined).result
        await client.close()
      }
      expect(await isMixed(await open(name, encryption))).toBe(false)
      expect(await allFiles()).not.toContain(secret)
    },
  )

  it('opens without a key in a worker after it was made plain in the page', async () => {
    const name = drawName()
    const sealed = await open(name, { passphrase: 'p' })
    await writeWhole(sealed)
    const before = await richSessionTexts(sealed.store)
    await sealed.close()
    const inPage = await open(name, { passphrase: 'p' }, 'in-page')
    await inPage.upkeep.changeEncryption(null).result
    await inPage.close()
    const plain = await open(name)
    expect(await richSessionTexts(plain.store)).toBe(before)
    expect((await plain.upkeep.verify().result).problems).toEqual([])
  })

  it('is never kept in Web Storage', async () => {
    await expect(open(drawName(), { passphrase: 'p' }, 'web-storage')).rejects.toMatchObject({
      name: 'StorageUnavailable',
    })
  })
})

describe('the users of one store', () => {
  it('see their own sessions only, and go one by one', async () => {
    const name = drawName()
    const openAs = async (userId: string): Promise<SessionClient> => {
      const client = await openSessionStore({ name, userId, modes: ['worker'], timeoutMs: 20_000 })
      clients.push(client)
      return client
    }
    const [anna, ben] = [await openAs('anna@a.test'), await openAs('ben/../anna')]
    const session = await anna.session('s')
    await session.append({ role: 'user', content: 'hello' })
    expect((await anna.store.getMeta('s'))?.userId).toBe('anna@a.test')
    expect((await ben.listSessions({})).sessions).toEqual([])
    await anna.close()
    await ben.close()
    await deleteSessionStore(name, { userId: 'ben/../anna' })
    expect((await (await openAs('anna@a.test')).listSessions({})).sessions).toHaveLength(1)
    for (const client of clients.splice(0)) await client.close()
    await deleteSessionStore(name, { userId: 'anna@a.test' })
  })
})
