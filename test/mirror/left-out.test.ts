import { IDBKeyRange } from 'fake-indexeddb'
import { expect, it } from 'vitest'
import type { AnsweredWrite } from '../../src/contract/journal.ts'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { answeredWrite } from '../../src/mirror/answered-write.ts'
import { keepMirror } from '../../src/mirror/keep-mirror.ts'
import { mirrorName } from '../../src/mirror/mirror-names.ts'
import { openMirror } from '../../src/mirror/open-mirror.ts'
import { scanFile } from '../../src/mirror/scan-file.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createArrival } from '../../src/storage/engine/writing/arrive-answered.ts'
import { openIndexedDbBackend } from '../../src/storage/indexeddb/indexeddb-backend.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'
import { createRandomInteger, fillRandom } from '../../src/storage/random-integer.ts'
import { createJournalDevice } from './support/journal-device.ts'
import { say, texts, textsElsewhere } from './support/talk.ts'
import { never, warm } from './support/two-journals.ts'

/** A database in which a call is repeated that a dead worker had answered, and what that worker had answered. */
async function repeatAnswered() {
  const backend = createMemoryBackend()
  const store = createSessionStore(backend)
  await say(store, 'a', 'first')
  const journal: AnsweredWrite[] = []
  const dead = createSessionStore(
    {
      ...backend,
      commit: async ({ sessions }) => {
        journal.push(...sessions.map((write) => answeredWrite(write)!))
        return { stored: true }
      },
    },
    { follow: () => undefined, isFreshOperation: () => true },
  )
  for (const text of ['before', 'twice', 'after']) await dead.addMessage('a', 'user', text, { operationId: text })
  await store.addMessage('a', 'user', 'twice', { operationId: 'twice' })
  const arrive = createArrival({
    backend,
    now: Date.now,
    randomInteger: createRandomInteger(fillRandom),
    onArrived: () => undefined,
    onGone: () => undefined,
  })
  const lost = async () => (await backend.loadSession('a'))?.cold.lost
  return { store, journal, lost, take: (write: AnsweredWrite) => arrive([write], { boot: 'dead', upTo: 0 }) }
}

it('leaves no hole that nobody explains, in whatever order the journals of a dead worker are taken in', async () => {
  for (const order of [
    [0, 1, 2],
    [2, 1, 0],
    [1, 2, 0],
    [0, 2, 1],
  ]) {
    const { store, journal, take } = await repeatAnswered()
    for (const at of order) await take(journal[at]!)
    const shown = await texts(store, 'a')
    expect([...shown].sort()).toEqual(['after', 'before', 'first', 'twice'])
    expect(await textsElsewhere(store, 'a')).toEqual(shown)
    expect((await store.verify()).problems).toEqual([])
  }
})

it('explains a place once, however often a journal is taken in', async () => {
  const { store, journal, take } = await repeatAnswered()
  const [before, twice] = journal as [AnsweredWrite, AnsweredWrite]
  for (const write of [before, twice]) await take(write)
  const { version } = await store.read('a', {})
  for (const write of [before, twice]) await take(write)
  expect((await store.read('a', {})).version).toBe(version)
})

it('counts no place as lost any more that it has explained', async () => {
  const { journal, take, lost } = await repeatAnswered()
  for (const write of journal.toReversed()) await take(write)
  expect(await lost()).toEqual({})
})

/** A worker that died with its journal, of which another one repeated a call, and a comparison with the mirror. */
async function repeatUnread(name: string, answer: (store: SessionStore) => Promise<unknown>) {
  const device = createJournalDevice(name, never)
  const dead = await device.open()
  await warm(dead.store)
  await dead.store.flush()
  await answer(dead.store)
  dead.die()
  const { read } = device.folder
  device.folder.read = async (file) => (file.includes('boot0') ? Promise.reject(new Error('slow disk')) : read(file))
  const other = await device.open()
  device.folder.read = read
  await other.store.addMessage('a', 'user', 'twice', { operationId: 'boot0.twice' })
  await other.store.close()
  const backend = await openIndexedDbBackend({ name, indexedDB: device.indexedDB, IDBKeyRange })
  const store = createSessionStore(backend)
  const { epoch } = backend
  const compare = async (boot: string, merge: SessionStore['merge'] = store.merge) => {
    const mirror = openMirror({ folder: device.folder, epoch, boot }, () => undefined)
    try {
      const own = mirrorName({ epoch, boot })
      const place = { backend, epoch, store: { ...store, merge }, folder: device.folder, mirror, own }
      return await keepMirror({ ...place, boot: `${boot}joined` })
    } finally {
      await mirror.close()
    }
  }
  return { store, compare, folder: device.folder, file: mirrorName({ epoch, boot: 'boot0' }) }
}

const twice = (store: SessionStore): Promise<unknown> =>
  store.addMessage('a', 'user', 'twice', { operationId: 'boot0.twice' })

it('leaves no hole that nobody explains when a restoration from the mirror stops after a part', async () => {
  const many = Array.from({ length: 20 }, (_, i) => `${i}`.repeat(20_000))
  const { store, compare } = await repeatUnread('stops', async (dead) => {
    await twice(dead)
    await say(dead, 'a', ...many)
  })
  let isStopped = false
  const stopped = compare('one', async (...given) => {
    if (isStopped) throw new Error('The worker stops here.')
    isStopped = true
    return store.merge(...given)
  })
  await expect(stopped).rejects.toThrow('stops here')
  const shown = await texts(store, 'a')
  expect(shown.length).toBeGreaterThan(3)
  expect(shown.length).toBeLessThan(23)
  expect(await textsElsewhere(store, 'a')).toEqual(shown)
})

it('leaves no hole that nobody explains when what comes behind a repeated call is found in a later comparison', async () => {
  const { store, compare, folder, file } = await repeatUnread('later', async (dead) => {
    await twice(dead)
    await say(dead, 'a', 'after')
  })
  // A worker that had to begin another file has two.
  const content = folder.files.get(file)!
  const half = (await scanFile(new Blob([content]))).sessions.get('a')!.frames.at(-1)!.from
  folder.files.set(file, content.slice(0, half))
  expect((await compare('one')).refilled).toEqual([])
  folder.files.set(file.replace('boot0', 'boot0b'), content.slice(half))
  expect(await compare('two')).toMatchObject({ refilled: ['a'], entries: 1 })
  const shown = await texts(store, 'a')
  expect([...shown].sort()).toEqual(['after', 'first', 'second', 'twice'])
  expect(await textsElsewhere(store, 'a')).toEqual(shown)
})
