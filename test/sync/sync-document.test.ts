import { describe, expect, it } from 'vitest'
import * as Y from 'yjs'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'
import { plainElements } from '../../src/sync/plain-elements.ts'
import { openSyncDocument, type SyncDocument } from '../../src/sync/sync-document.ts'
import { toWireEntry } from '../../src/sync/wire-entry.ts'

const newStore = (): SessionStore => createSessionStore(createMemoryBackend())
const documentOf = (store: SessionStore): Promise<SyncDocument> =>
  openSyncDocument({ store, key: 's', name: 'test/s', elements: plainElements })
const stateOf = ({ doc }: SyncDocument): Uint8Array => Y.encodeStateAsUpdate(doc)
const lacking = (from: SyncDocument, to: SyncDocument): Uint8Array =>
  Y.encodeStateAsUpdate(from.doc, Y.encodeStateVector(to.doc))
const texts = async (store: SessionStore): Promise<readonly unknown[]> =>
  (await store.getHistory('s')).map(({ content }) => content)

async function exchange(a: SyncDocument, b: SyncDocument): Promise<void> {
  await b.receive(lacking(a, b), 'a')
  await a.receive(lacking(b, a), 'b')
}

async function fill(store: SessionStore): Promise<void> {
  await store.addMessage('s', 'user', 'one')
  await store.addMessage('s', 'assistant', 'two')
  await store.addMessage('s', 'user', 'three')
  await store.openBranch('s', { after: 'start', name: 'other' })
  await store.addMessage('s', 'user', 'on the branch')
  await store.switchBranch('s', '')
  await store.setSummary('s', 'short')
  await store.checkpoint('s', { label: 'here' })
  await store.updateMeta('s', { title: 'T', tags: ['x'], custom: { a: 1.5 } })
}

describe('a document of a session', () => {
  it('is the same bytes whenever it is made of the same log', async () => {
    const store = newStore()
    await fill(store)
    expect(stateOf(await documentOf(store))).toEqual(stateOf(await documentOf(store)))
  })

  it('is the same bytes on the device that took its entries in', async () => {
    const [store, other] = [newStore(), newStore()]
    await fill(store)
    await fill(other)
    const [a, b] = [await documentOf(store), await documentOf(other)]
    await exchange(a, b)
    expect(stateOf(b)).toEqual(stateOf(a))
    expect(stateOf(await documentOf(other))).toEqual(stateOf(a))
    expect(await texts(other)).toEqual(await texts(store))
    expect(await other.getMeta('s')).toEqual({ ...(await store.getMeta('s')), createdAt: expect.any(Number) as number })
  })

  it('reads its log once for all that was said while it was busy', async () => {
    const store = newStore()
    let reads = 0
    const document = await openSyncDocument({
      store: { ...store, changes: (...given) => ((reads += 1), store.changes(...given)) },
      key: 's',
      name: 'test/s',
      elements: plainElements,
    })
    reads = 0
    const first = document.publish()
    for (const text of ['one', 'two', 'three']) await store.addMessage('s', 'user', text)
    const counts = await Promise.all([first, document.publish(), document.publish(), document.publish()])
    expect(counts.reduce((sum, count) => sum + count)).toBe(3)
    expect(reads).toBe(2)
    expect(document.vector()).toEqual((await store.changes('s')).vv)
  })

  it('holds nothing of what was purged, and is the same bytes with and without those rows', async () => {
    const [store, other] = [newStore(), newStore()]
    await fill(store)
    const [a, b] = [await documentOf(store), await documentOf(other)]
    await exchange(a, b)
    const size = stateOf(a).length
    await store.truncateHistory('s', 1)
    await store.deleteCheckpoint('s', (await store.listCheckpoints('s'))[0]!.id)
    expect(await store.reclaim('s')).toBeGreaterThan(0)
    await a.publish()
    await exchange(a, b)
    const fresh = newStore()
    const c = await documentOf(fresh)
    await c.receive(stateOf(b), 'b')
    expect(stateOf(b)).toEqual(stateOf(a))
    expect(stateOf(c)).toEqual(stateOf(a))
    expect(stateOf(await documentOf(store))).toEqual(stateOf(a))
    expect(JSON.stringify(Y.decodeUpdate(stateOf(a)))).not.toContain('"two"')
    expect(size).toBeGreaterThan(0)
    expect(await texts(fresh)).toEqual(await texts(store))
  })

  it('changes nothing when the same update comes again', async () => {
    const [store, other] = [newStore(), newStore()]
    await fill(store)
    const [a, b] = [await documentOf(store), await documentOf(other)]
    await b.receive(stateOf(a), 'a')
    const before = stateOf(b)
    expect(await b.receive(stateOf(a), 'a')).toMatchObject({ added: 0, quarantined: [], hasGap: false })
    expect(stateOf(b)).toEqual(before)
  })

  it('sends nothing back of what it was sent', async () => {
    const [store, other] = [newStore(), newStore()]
    await fill(store)
    const [a, b] = [await documentOf(store), await documentOf(other)]
    const origins: unknown[] = []
    b.doc.on('update', (_: Uint8Array, origin: unknown) => origins.push(origin))
    await b.receive(stateOf(a), 'a')
    await b.publish()
    expect(origins).toEqual(['a'])
  })

  it('asks again for what is missing before what came', async () => {
    const [store, other] = [newStore(), newStore()]
    await fill(store)
    const [a, b] = [await documentOf(store), await documentOf(other)]
    const vector = Y.encodeStateVector(a.doc)
    await store.addMessage('s', 'user', 'later')
    await a.publish()
    const report = await b.receive(Y.encodeStateAsUpdate(a.doc, vector), 'a')
    expect(report).toMatchObject({ added: 0, quarantined: [], hasGap: true })
    await b.receive(lacking(a, b), 'a')
    expect(await texts(other)).toEqual(await texts(store))
  })
})

describe('an update from elsewhere', () => {
  const elsewhere = async (change: (doc: Y.Doc, store: SessionStore) => void | Promise<void>): Promise<Uint8Array> => {
    const store = newStore()
    await fill(store)
    const { doc } = await documentOf(store)
    const before = Y.encodeStateVector(doc)
    await change(doc, store)
    return Y.encodeStateAsUpdate(doc, before)
  }
  const refused = async (update: Uint8Array): Promise<void> => {
    const store = newStore()
    await fill(store)
    const document = await documentOf(store)
    const [state, log] = [stateOf(document), await store.changes('s')]
    const report = await document.receive(update, 'them')
    expect(report.added).toBe(0)
    expect(report.quarantined).not.toEqual([])
    expect(stateOf(document)).toEqual(state)
    expect(await store.changes('s')).toEqual(log)
    // And the next good one is taken.
    const other = newStore()
    await other.addMessage('s', 'user', 'good')
    expect(await document.receive(stateOf(await documentOf(other)), 'them')).toMatchObject({
      added: 1,
      quarantined: [],
    })
  }

  it('is refused when it is no update', () => refused(new Uint8Array([1, 200, 3, 4])))
  it('is refused when it sets a member of a map', async () =>
    refused(await elsewhere((doc) => void doc.getMap('m').set('a', 1))))
  it('is refused when it holds a text', async () =>
    refused(await elsewhere((doc) => doc.getText('t').insert(0, 'hello'))))
  it('is refused when it holds a type in a type', async () =>
    refused(await elsewhere((doc) => doc.getArray('w:1').push([new Y.Map()]))))
  it('is refused when it writes into the array of another', async () =>
    refused(await elsewhere((doc) => ((doc.clientID = 5), doc.getArray('w:6').push([[1]])))))
  it('is refused when an element is no entry', async () =>
    refused(await elsewhere((doc) => ((doc.clientID = 5), doc.getArray('w:5').push([{ type: 'message' }])))))
  it('is refused when a checksum is wrong', async () =>
    refused(
      await elsewhere(async (doc, store) => {
        const [entry] = (await store.changes('s')).entries
        doc.clientID = 5
        doc.getArray('w:5').push([toWireEntry({ ...entry!, w: 5, s: 0 })])
      }),
    ))

  it('takes nothing away that is here', async () => {
    const store = newStore()
    await fill(store)
    const document = await documentOf(store)
    const theirs = new Y.Doc()
    Y.applyUpdate(theirs, stateOf(document))
    for (const name of theirs.share.keys()) theirs.getArray(name).delete(0, theirs.getArray(name).length)
    const log = await store.changes('s')
    await document.receive(Y.encodeStateAsUpdate(theirs), 'them')
    expect(await store.changes('s')).toEqual(log)
  })

  it('is told when it forks a writer', async () => {
    const [store, other] = [newStore(), newStore()]
    await fill(store)
    const document = await documentOf(store)
    await other.merge('s', (await store.changes('s')).entries)
    const theirs = await documentOf(other)
    const forged = new Y.Doc()
    for (const name of theirs.doc.share.keys()) {
      forged.clientID = Number.parseInt(name.slice(2), 36)
      forged
        .getArray(name)
        .push(
          theirs.doc.getArray<readonly unknown[]>(name).map(([head]) => [head, { role: 'user', content: 'forged' }]),
        )
    }
    const report = await document.receive(Y.encodeStateAsUpdate(forged), 'them')
    expect(report.quarantined[0]!.reason).toContain('two devices wrote as one writer')
  })

  it('refuses what is nested without an end, and takes what comes behind it', async () => {
    const [store, other] = [newStore(), newStore()]
    await other.addMessage('s', 'user', 'one')
    const [entry] = (await other.changes('s')).entries
    let deep: unknown = 0
    for (let i = 0; i < 100_000; i++) deep = [deep]
    const element = toWireEntry({ ...entry!, data: { ...entry!.data, deep: deep as never } })
    expect(plainElements.read(entry!.w, entry!.s, element)).toBe('it is nested too deeply')
    const document = await documentOf(store)
    await document.receive(lacking(await documentOf(other), document), 'other')
    expect(await texts(store)).toEqual(['one'])
  })
})
