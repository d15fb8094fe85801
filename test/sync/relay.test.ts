import { mkdir, mkdtemp, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import * as Y from 'yjs'
import type { LinkStatus, SyncTransport } from '../../src/sync/link.ts'
import { sessionDocumentId } from '../../src/sync/session-document-id.ts'
import { relayFile } from '../../src/sync/transports/relay/relay-file.ts'
import type { RelayStore } from '../../src/sync/transports/relay/relay-store.ts'
import { relayTransport } from '../../src/sync/transports/relay/relay-transport.ts'
import { expectProven, expectSame, openDevice, until } from './device.ts'
import { createDevice } from './synced-device.ts'

interface Folder extends Required<RelayStore> {
  readonly root: string
  readonly reads: string[]
}

async function newFolder(): Promise<Folder> {
  const root = await mkdtemp(join(tmpdir(), 'keepsession-relay-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  const reads: string[] = []
  return {
    root,
    reads,
    put: async (path, bytes) => {
      await mkdir(dirname(join(root, path)), { recursive: true })
      const temporary = join(root, `${path}.${Math.random()}.part`)
      await writeFile(temporary, bytes)
      await rename(temporary, join(root, path))
    },
    get: async (path) => {
      reads.push(path)
      return readFile(join(root, path)).then(
        (bytes) => new Uint8Array(bytes),
        () => undefined,
      )
    },
    list: async (prefix) =>
      readdir(join(root, prefix)).then(
        (names) => names.map((name) => prefix + name),
        () => [],
      ),
    remove: (path) => rm(join(root, path), { force: true }),
  }
}

const over = (store: RelayStore, device?: string): SyncTransport => {
  const transport = relayTransport({ store, pollMs: 20, ...(device !== undefined && { device }) })
  onTestFinished(() => transport.close())
  return transport
}
const files = (folder: Folder): Promise<readonly string[]> => folder.list('test/s/1/')

describe('documents over a folder', () => {
  it('come to the same, and are proven to be there', async () => {
    const folder = await newFolder()
    const [a, b] = [await openDevice(over(folder)), await openDevice(over(folder))]
    await a.say('from a')
    await b.say('from b')
    await expectSame(a, b)
    await expectProven(a)
    await a.close()
    const late = await openDevice(over(folder))
    await expectSame(b, late)
  })

  it('are fetched once, and not at all by a device that has their content', async () => {
    const folder = await newFolder()
    const [a, b] = [await openDevice(over(folder)), await openDevice(over(folder))]
    for (let i = 0; i < 5; i++) await a.say(`${i}`)
    await expectSame(a, b)
    expect(new Set(folder.reads).size).toBe(folder.reads.length)
    await a.close()
    folder.reads.length = 0
    const again = await openDevice(over(folder), { store: a.store })
    await expectProven(again)
    expect(folder.reads).toEqual([])
    const names = await files(folder)
    await expectProven(again)
    expect(await files(folder)).toEqual(names)
  })

  it('are put again where a crash of this device has cut them off, and those of its earlier runs are read once', async () => {
    const folder = await newFolder()
    const first = await openDevice(over(folder, 'phone'))
    await first.say('kept whole')
    await expectProven(first)
    const whole = await files(folder)
    await first.say('cut off')
    await expectProven(first)
    await first.close()
    // The name was written, the content was not.
    for (const path of await files(folder)) if (!whole.includes(path)) await truncate(join(folder.root, path), 0)
    folder.reads.length = 0
    const again = await openDevice(over(folder, 'phone'), { store: first.store })
    await expectProven(again)
    again.reopen()
    await expectProven(again)
    const reads = folder.reads.filter((path) => whole.includes(path))
    await expectSame(again, await openDevice(over(folder, 'laptop')))
    expect(reads).toEqual(whole)
  })

  it('are joined where they are many, and lost to nobody', async () => {
    const folder = await newFolder()
    const a = await openDevice(over(folder, 'phone'))
    const most = { files: 0 }
    for (let i = 0; i < 120; i++) {
      await a.say(`message ${i}`)
      await expectProven(a)
      most.files = Math.max(most.files, (await files(folder)).length)
    }
    expect(most.files).toBeLessThan(90)
    const b = await openDevice(over(folder))
    await expectSame(a, b)
  })

  it('never lose the content of another device, nor what the larger file does not hold', async () => {
    const folder = await newFolder()
    const other = await openDevice(over(folder, 'tablet'))
    await other.say('mine')
    await expectProven(other)
    const theirs = await files(folder)
    const a = await openDevice(over(folder, 'phone'))
    for (let i = 0; i < 70; i++) {
      await a.say(`${i}`)
      await expectProven(a)
    }
    expect(await files(folder)).toEqual(expect.arrayContaining([...theirs]))
  })

  it('lose what was purged', async () => {
    const folder = await newFolder()
    const a = await openDevice(over(folder, 'phone'))
    await a.say('secret words')
    await expectProven(a)
    await a.store.truncateHistory('test/s/1', 0)
    await a.store.reclaim('test/s/1')
    await a.document.publish()
    const holding = async (): Promise<unknown[]> => {
      const found = await Promise.all(
        (await files(folder)).map(async (path) =>
          (await readFile(join(folder.root, path))).includes('secret words') ? [path] : [],
        ),
      )
      return found.flat()
    }
    await until(async () => {
      a.connection.ask()
      expect(await holding()).toEqual([])
    })
    const b = await openDevice(over(folder))
    await expectSame(a, b)
  })

  it('lose a session that was purged, each device in the files that it wrote', async () => {
    const folder = await newFolder()
    const [a, b] = [createDevice(), createDevice()]
    onTestFinished(async () => void (await Promise.all([a.close(), b.close()])))
    const [one, two] = [
      await a.sync({ transport: over(folder, 'phone') }),
      await b.sync({ transport: over(folder, 'laptop') }),
    ]
    await a.store.addMessage('s', 'user', 'secret of a')
    await one.syncNow()
    await until(async () => expect((await b.store.getHistory('s')).length).toBe(1))
    await b.store.addMessage('s', 'user', 'secret of b')
    await until(async () => expect((await a.store.getHistory('s')).length).toBe(2))
    const place = `me/s/${await sessionDocumentId('s')}/`
    const held = async (): Promise<string> =>
      (await Promise.all((await folder.list(place)).map((path) => readFile(join(folder.root, path), 'latin1')))).join(
        '',
      )
    expect(await held()).toContain('secret of b')
    await a.store.purge('s')
    await until(async () =>
      expect([await b.store.getMeta('s'), await a.store.listPurges(), await b.store.listPurges()]).toEqual([
        undefined,
        [],
        [],
      ]),
    )
    expect(await held()).not.toContain('secret')
    expect((await two.syncNow()).report.quarantinedCount).toBe(0)
  })

  it('of the list are read again when what they depend on has come later', async () => {
    const folder = await newFolder()
    let isLate = true
    const reads: string[] = []
    const late: RelayStore = {
      ...folder,
      get: (path) => (reads.push(path), folder.get(path)),
      list: async (prefix) =>
        (await folder.list(prefix)).filter((path) => !isLate || !path.startsWith('me/index/phone.')),
    }
    const [a, b, c] = [createDevice(), createDevice(), createDevice()]
    onTestFinished(async () => void (await Promise.all([a.close(), b.close(), c.close()])))
    const one = await a.sync({ transport: over(folder, 'phone') })
    await a.store.addMessage('s', 'user', 'from a')
    await one.syncNow()
    const two = await b.sync({ transport: over(folder, 'laptop') })
    await two.syncNow()
    await b.store.addMessage('t', 'user', 'from b')
    await two.syncNow()
    const three = await c.sync({ transport: over(late, 'tablet') })
    await until(() => {
      expect(reads.some((path) => path.startsWith('me/index/laptop.'))).toBe(true)
      expect(three.status().state).toBe('synced')
    })
    isLate = false
    await until(async () =>
      expect((await c.store.listSessions()).sessions.map(({ key }) => key).sort()).toEqual(['s', 't']),
    )
  })

  it('are read again when they were not whole yet, and nothing is taken from what is none', async () => {
    const folder = await newFolder()
    const [a, elsewhere] = [await openDevice(over(folder)), await newFolder()]
    const c = await openDevice(over(elsewhere))
    await c.say('from far')
    await expectProven(c)
    const [path] = await files(elsewhere)
    const bytes = (await elsewhere.get(path!))!
    await folder.put(path!, bytes.slice(0, 10) as Uint8Array<ArrayBuffer>)
    const forged = new Y.Doc()
    forged.getMap('m').set('a', 1)
    const hostile = Y.encodeStateAsUpdate(forged) as Uint8Array<ArrayBuffer>
    await folder.put(relayFile('test/s/1/', 'x', hostile).path, hostile)
    await folder.put('test/s/1/notes.txt', new Uint8Array([1]))
    await until(() => expect(a.reports.flatMap(({ quarantined }) => quarantined)).toHaveLength(1))
    await a.say('from here')
    await expectProven(a)
    expect(await a.texts()).toEqual(['from here'])
    await folder.put(path!, bytes)
    await until(async () => expect([...(await a.texts())].sort()).toEqual(['from far', 'from here']))
  })

  it('can be closed after what came could not be taken in', async () => {
    const folder = await newFolder()
    const a = await openDevice(over(folder))
    await a.say('hello')
    await expectProven(a)
    const statuses: LinkStatus[] = []
    const connection = over(folder).open({
      name: 'test/s/1',
      doc: new Y.Doc(),
      receive: () => Promise.reject(new Error('no room')),
      peerHas: () => undefined,
      status: (status) => void statuses.push(status),
    })
    await until(() => expect(statuses.at(-1)).toEqual({ state: 'error', message: 'no room' }))
    await expect(connection.close()).resolves.toBeUndefined()
  })

  it('end with what went wrong, and go on once it is over', async () => {
    const folder = await newFolder()
    let error: Error | undefined = Object.assign(new Error('no permission'), { name: 'NotAllowedError' })
    const store: RelayStore = {
      ...folder,
      put: async (path, bytes) => (error === undefined ? folder.put(path, bytes) : Promise.reject(error)),
    }
    const a = await openDevice(over(store))
    await a.say('kept')
    await until(() => expect(a.statuses.at(-1)).toEqual({ state: 'denied', message: 'no permission' }))
    error = new Error('disk full')
    a.reopen()
    await until(() => expect(a.statuses.at(-1)).toEqual({ state: 'error', message: 'disk full' }))
    error = undefined
    a.reopen()
    await expectProven(a)
  })
})

it('carries blobs', async () => {
  const { blobs } = relayTransport({ store: await newFolder() })
  await blobs.putBlob('n s', 'ab', new Blob(['hello']))
  expect(await (await blobs.getBlob('n s', 'ab'))!.text()).toBe('hello')
  expect(await blobs.getBlob('n s', 'cd')).toBeUndefined()
  expect(await Promise.all(['ab', 'cd'].map((hash) => blobs.hasBlob('n s', hash)))).toEqual([true, false])
})

it('does not take a blob for sent that a crash has cut off, nor gives it', async () => {
  const folder = await newFolder()
  const send = (): Promise<void> =>
    relayTransport({ store: folder }).blobs.putBlob('n', 'sealed-ab', new Blob(['hello']))
  await send()
  const [path] = await folder.list('n/blobs/')
  await truncate(join(folder.root, path!), 3)
  const { blobs } = relayTransport({ store: folder })
  expect([await blobs.hasBlob('n', 'sealed-ab'), await blobs.getBlob('n', 'sealed-ab')]).toEqual([false, undefined])
  await send()
  expect([await blobs.hasBlob('n', 'sealed-ab'), await (await blobs.getBlob('n', 'sealed-ab'))?.text()]).toEqual([
    true,
    'hello',
  ])
  expect(await folder.list('n/blobs/')).toEqual([path])
})

it.each([{ device: 'a/b' }, { device: '' }, { pollMs: 0 }, { pollMs: Number.NaN }])(
  'is refused with %j',
  async (options) => {
    const store = await newFolder()
    expect(() => relayTransport({ store, ...options })).toThrow(expect.objectContaining({ name: 'InvalidInput' }))
  },
)
