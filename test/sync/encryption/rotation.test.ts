import { beforeAll, describe, expect, it } from 'vitest'
import * as Y from 'yjs'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { covers } from '../../../src/domain/version-vector.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'
import { writeKeyRecord } from '../../../src/sync/encryption/key-record.ts'
import { keyStanding } from '../../../src/sync/encryption/key-standing.ts'
import { openRetiredDocument } from '../../../src/sync/encryption/retired-document.ts'
import { drawRootKey } from '../../../src/sync/encryption/root-key.ts'
import { type RotationSteps, rotateKeys } from '../../../src/sync/encryption/rotate-keys.ts'
import { sealedDocumentId } from '../../../src/sync/encryption/sealed-document-id.ts'
import { sealedElements } from '../../../src/sync/encryption/sealed-elements.ts'
import { openSyncKeys, type SyncKeys } from '../../../src/sync/encryption/sync-keys.ts'
import { openSyncDocument } from '../../../src/sync/sync-document.ts'

const draw = (): Promise<SyncKeys> => openSyncKeys(drawRootKey(), 'ns')
const newStore = (): SessionStore => createSessionStore(createMemoryBackend())
const texts = async (store: SessionStore, key: string): Promise<readonly unknown[]> =>
  (await store.getHistory(key)).map(({ content }) => content)

let first: SyncKeys
let second: SyncKeys
beforeAll(async () => {
  const [a, b] = [await draw(), await draw()]
  ;[first, second] = a.id < b.id ? [a, b] : [b, a]
})

/** What a server has: a document for each name, and the records of the index. */
interface Server {
  readonly documents: Map<string, Y.Doc>
  readonly records: Uint8Array[]
}

const newServer = (): Server => ({ documents: new Map(), records: [] })
const documentOf = (server: Server, name: string): Y.Doc =>
  server.documents.get(name) ?? server.documents.set(name, new Y.Doc()).get(name)!

/** Syncs a session with the server once, both ways. */
async function sync(
  server: Server,
  store: SessionStore,
  key: string,
  keys: SyncKeys,
): Promise<{ readonly name: string; readonly vector: Readonly<Record<string, number>>; readonly sealed: number }> {
  const name = await sealedDocumentId(key, keys)
  const theirs = documentOf(server, name)
  const document = await openSyncDocument({ store, key, name, elements: sealedElements(keys, name) })
  const { sealed } = await document.receive(Y.encodeStateAsUpdate(theirs, Y.encodeStateVector(document.doc)), 'server')
  Y.applyUpdate(theirs, Y.encodeStateAsUpdate(document.doc, Y.encodeStateVector(theirs)))
  const vector = document.vector()
  await document.close()
  return { name, vector, sealed }
}

/** The steps over a server in memory. Sessions are under the old key while its document has anything in it. */
function steps(server: Server, store: SessionStore, keys: readonly string[]): RotationSteps {
  return {
    records: () => Promise.resolve(server.records),
    announce: (record) => Promise.resolve(void server.records.push(record)),
    sessions: async () => {
      const held = await Promise.all(
        keys.map(async (key) => ({ key, doc: server.documents.get(await sealedDocumentId(key, first)) })),
      )
      return held.flatMap(({ key, doc }) => (doc !== undefined && livingIn(doc) > 0 ? [key] : []))
    },
    fetch: async (key) => void (await sync(server, store, key, first)),
    upload: async (key) => void (await sync(server, store, key, second)),
    retire: async (key) => {
      const name = await sealedDocumentId(key, first)
      const { vector } = await sync(server, store, key, second)
      const theirs = documentOf(server, name)
      const retired = openRetiredDocument(name, (w, s) => covers(vector, w, s))
      retired.doc.on(
        'update',
        (update: Uint8Array, origin: unknown) => origin !== 'server' && Y.applyUpdate(theirs, update),
      )
      await retired.receive(Y.encodeStateAsUpdate(theirs), 'server')
      if (retired.left() > 0) throw new Error(`${retired.left()} left`)
      retired.destroy()
    },
  }
}

const livingIn = (doc: Y.Doc): number =>
  [...doc.share.keys()].reduce((count, name) => count + doc.getArray(name).length, 0)

async function deviceWith(server: Server, keys: readonly string[], under: SyncKeys): Promise<SessionStore> {
  const store = newStore()
  for (const key of keys) {
    await store.addMessage(key, 'user', `a question in ${key} `.repeat(20))
    await store.addMessage(key, 'assistant', `an answer in ${key} `.repeat(20))
    await sync(server, store, key, under)
  }
  return store
}

describe('a change of keys', () => {
  it('puts every session under the new key, and leaves nothing under the old one', async () => {
    const server = newServer()
    const store = await deviceWith(server, ['a', 'b', 'c'], first)
    const old = await Promise.all(['a', 'b', 'c'].map((key) => sealedDocumentId(key, first)))
    const seen: number[] = []
    const report = await rotateKeys({
      from: first,
      to: second,
      steps: steps(server, store, ['a', 'b', 'c']),
      onProgress: ({ done }) => seen.push(done),
    })
    expect({ moved: [...report.moved].sort(), left: report.left, seen }).toEqual({
      moved: ['a', 'b', 'c'],
      left: [],
      seen: [1, 2, 3],
    })
    for (const name of old) expect(Y.encodeStateAsUpdate(documentOf(server, name)).length).toBeLessThan(60)
    const [withNew, withOld] = [newStore(), newStore()]
    for (const key of ['a', 'b', 'c']) {
      await sync(server, withNew, key, second)
      expect(await texts(withNew, key)).toEqual(await texts(store, key))
      await sync(
        { ...server, documents: new Map([...server.documents].map(([name, doc]) => [name, copyOf(doc)])) },
        withOld,
        key,
        first,
      )
      expect(await texts(withOld, key)).toEqual([])
    }
    expect(await keyStanding(server.records, [second])).toEqual({ state: 'current', keys: second, rivals: [] })
    expect(await keyStanding(server.records, [first])).toEqual({ state: 'replaced', keyIds: [second.id] })
  })

  it('takes along what another device put under the old key in the meantime', async () => {
    const server = newServer()
    const store = await deviceWith(server, ['a'], first)
    const other = newStore()
    await sync(server, other, 'a', first)
    await other.addMessage('a', 'user', 'from the other')
    const running = steps(server, store, ['a'])
    await rotateKeys({
      from: first,
      to: second,
      steps: {
        ...running,
        announce: async (record) => (await sync(server, other, 'a', first), running.announce(record)),
      },
    })
    const fresh = newStore()
    await sync(server, fresh, 'a', second)
    expect(await texts(fresh, 'a')).toContain('from the other')
  })

  it('empties nothing that is not under the new key', async () => {
    const server = newServer()
    const store = await deviceWith(server, ['a', 'b'], first)
    const running = steps(server, store, ['a', 'b'])
    const broken: RotationSteps = {
      ...running,
      upload: (key) => (key === 'a' ? Promise.reject(new Error('offline')) : running.upload(key)),
    }
    expect(await rotateKeys({ from: first, to: second, steps: broken })).toEqual({
      moved: ['b'],
      left: [{ key: 'a', reason: 'offline' }],
    })
    const other = newStore()
    const late = newStore()
    await sync(server, other, 'a', first)
    expect(await texts(other, 'a')).toEqual(await texts(store, 'a'))
    // And what came behind the upload stays.
    await other.addMessage('a', 'user', 'late')
    const upload = async (key: string): Promise<void> => (
      await running.upload(key), void (await sync(server, other, key, first))
    )
    const report = await rotateKeys({ from: first, to: second, steps: { ...running, upload } })
    expect(report.left).toEqual([{ key: 'a', reason: expect.stringMatching(/left/) as string }])
    expect(await rotateKeys({ from: first, to: second, steps: running })).toEqual({ moved: ['a'], left: [] })
    await sync(server, late, 'a', second)
    expect(await texts(late, 'a')).toContain('late')
  })

  it('is gone on with where it was stopped, and announced once', async () => {
    const server = newServer()
    const keys = Array.from({ length: 12 }, (_, i) => `s${i}`)
    const store = await deviceWith(server, keys, first)
    const stop = new AbortController()
    const running = steps(server, store, keys)
    await expect(
      rotateKeys({ from: first, to: second, steps: running, signal: stop.signal, onProgress: () => stop.abort() }),
    ).rejects.toMatchObject({ name: 'Aborted' })
    const rest = await running.sessions()
    expect(rest.length).toBeGreaterThan(0)
    const report = await rotateKeys({ from: first, to: second, steps: running })
    expect([...report.moved].sort()).toEqual([...rest].sort())
    expect(await running.sessions()).toEqual([])
    expect(server.records.length).toBe(1)
  })

  it('is refused for the same key, for one that was given up, and for another namespace', async () => {
    const server = newServer()
    const store = newStore()
    const run = (from: SyncKeys, to: SyncKeys): Promise<unknown> =>
      rotateKeys({ from, to, steps: steps(server, store, []) })
    await run(first, second)
    await expect(run(second, second)).rejects.toMatchObject({ name: 'InvalidInput' })
    await expect(run(second, first)).rejects.toMatchObject({ name: 'InvalidInput' })
    await expect(run(second, await openSyncKeys(drawRootKey(), 'nt'))).rejects.toMatchObject({ name: 'InvalidInput' })
    expect(server.records.length).toBe(1)
  })
})

describe('a retired document', () => {
  it('is hurt by nothing that comes', async () => {
    const retired = openRetiredDocument('x', () => true)
    const strange = new Y.Doc()
    strange.getMap('m').set('a', new Y.Text('hello'))
    for (const update of [new Uint8Array([1, 200, 3, 4]), Y.encodeStateAsUpdate(strange)])
      await retired.receive(update, 'server')
    expect(retired.left()).toBe(0)
  })
})

describe('how keys stand', () => {
  it('is first where nobody has used one', async () => {
    expect(await keyStanding([], [first])).toEqual({ state: 'first' })
    expect(await keyStanding([new Uint8Array(5), 'x', undefined], [first])).toEqual({ state: 'first' })
  })

  it('is wrong for a key that never was one of the namespace, and for no key', async () => {
    const records = [await writeKeyRecord(first)]
    expect(await keyStanding(records, [second])).toEqual({ state: 'wrongKey', keyIds: [first.id] })
    expect(await keyStanding(records, [])).toEqual({ state: 'wrongKey', keyIds: [first.id] })
    expect(await keyStanding(records, [first])).toEqual({ state: 'current', keys: first, rivals: [] })
  })

  it('follows every change as far as the keys go', async () => {
    const third = await draw()
    const records = [
      await writeKeyRecord(first),
      await writeKeyRecord(second, first),
      await writeKeyRecord(third, second),
    ]
    expect(await keyStanding(records, [first, second, third])).toEqual({ state: 'current', keys: third, rivals: [] })
    expect(await keyStanding(records, [third])).toEqual({ state: 'current', keys: third, rivals: [] })
    expect(await keyStanding(records, [first, second])).toEqual({ state: 'replaced', keyIds: [third.id] })
    expect(await keyStanding(records, [first])).toEqual({ state: 'replaced', keyIds: [second.id] })
  })

  it('is not changed by a record that was made without the key', async () => {
    const thief = await draw()
    const forged = await writeKeyRecord(thief, first)
    forged.fill(9, 33)
    const records = [await writeKeyRecord(first), forged]
    expect(await keyStanding(records, [first])).toEqual({ state: 'current', keys: first, rivals: [] })
    expect(await keyStanding([forged], [first])).toEqual({ state: 'first' })
  })

  it('stays as it is when who has the old key changes it once more', async () => {
    const thief = await draw()
    const records = [
      await writeKeyRecord(first),
      await writeKeyRecord(second, first),
      await writeKeyRecord(thief, first),
    ]
    expect(await keyStanding(records, [first, second])).toEqual({ state: 'current', keys: second, rivals: [thief.id] })
  })

  it('tells of two changes at once, until one device has gone over to the key of the other', async () => {
    const rival = await draw()
    const records = [await writeKeyRecord(second, first), await writeKeyRecord(rival, first)]
    expect(await keyStanding(records, [first, second])).toEqual({ state: 'current', keys: second, rivals: [rival.id] })
    expect(await keyStanding(records, [first, rival])).toEqual({ state: 'current', keys: rival, rivals: [second.id] })
    const server = { ...newServer(), records: [...records] }
    await rotateKeys({ from: rival, to: second, steps: steps(server, newStore(), []) })
    for (const ring of [
      [first, second],
      [first, rival, second],
    ])
      expect(await keyStanding(server.records, ring)).toEqual({ state: 'current', keys: second, rivals: [] })
    expect(await keyStanding(server.records, [first, rival])).toEqual({ state: 'replaced', keyIds: [second.id] })
  })
})

function copyOf(doc: Y.Doc): Y.Doc {
  const copy = new Y.Doc()
  Y.applyUpdate(copy, Y.encodeStateAsUpdate(doc))
  return copy
}
