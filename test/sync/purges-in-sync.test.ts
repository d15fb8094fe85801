import { expect, it } from 'vitest'
import * as Y from 'yjs'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { writerKey } from '../../src/domain/address.ts'
import { sealEntry } from '../../src/domain/seal.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'
import { plainElements } from '../../src/sync/plain-elements.ts'
import { rootName } from '../../src/sync/projection.ts'
import { openSyncDocument, type SyncDocument } from '../../src/sync/sync-document.ts'
import { toWireEntry } from '../../src/sync/wire-entry.ts'

const newStore = (): SessionStore => createSessionStore(createMemoryBackend())
const documentOf = (store: SessionStore): Promise<SyncDocument> =>
  openSyncDocument({ store, key: 's', name: 's', elements: plainElements })
const entriesOf = async (store: SessionStore) => [...(await store.changes('s')).entries].sort((a, b) => a.s - b.s)

/** Three messages, of which the second and third are purged with their removals, and one more. */
async function purgedStore(): Promise<SessionStore> {
  const store = newStore()
  for (const text of ['one', 'two', 'three']) await store.addMessage('s', 'user', text)
  for (const { order, branch } of (await store.read('s', { after: '' })).entries.slice(1))
    await store.remove('s', { order, branch })
  expect(await store.reclaim('s')).toBe(4)
  await store.addMessage('s', 'user', 'four')
  return store
}

it('takes what was purged for known, so that two devices with the same entries say the same', async () => {
  const store = newStore()
  const other = newStore()
  const a = newStore()
  await a.addMessage('s', 'user', 'gone')
  const [gone] = await entriesOf(a)
  await store.merge('s', [gone!])
  await store.remove('s', (await store.read('s')).entries[0]!)
  await store.reclaim('s')
  // Nothing is left of that writer, so the other device hears of it by the purge alone.
  await other.merge('s', (await store.changes('s')).entries)
  expect(await other.getVector('s')).toEqual(await store.getVector('s'))
})

it('holds nothing for purged by a purge that it could not take yet', async () => {
  const entries = await entriesOf(await purgedStore())
  const other = newStore()
  const behind = entries.at(-1)!
  const purge = entries.find(({ type }) => type === 'purge')!
  const writer = 987654321
  const early = sealEntry({
    w: writer,
    s: 5,
    branch: '',
    type: 'purge',
    data: { ranges: { [writerKey(purge.w)]: [[1, behind.s]] } },
    at: 1,
    clock: purge.clock,
  })
  const result = await other.merge('s', [entries[0]!, behind, early])
  expect(result.refused.map(({ isEarly }) => isEarly)).toEqual([true])
  // What is not there is lost, not known: it is taken if somebody still has it.
  expect((await other.verify('s')).problems.map(({ kind }) => kind)).toEqual(['gap'])
  const first = sealEntry({
    ...behind,
    s: 1,
    type: 'message',
    data: { message: { role: 'user', content: 'two' } },
    clock: { hp: behind.clock.hp - 1, hc: 0 },
  })
  expect(await other.merge('s', [first])).toMatchObject({ added: 1 })
})

it('counts nothing that was purged as newer than the head', async () => {
  const store = newStore()
  const other = newStore()
  for (const text of ['one', 'two']) await store.addMessage('s', 'user', text)
  await other.merge('s', (await store.changes('s')).entries)
  await store.remove('s', (await store.read('s', { last: 1 })).entries[0]!)
  await store.reclaim('s')
  await other.merge('s', (await store.changes('s')).entries)
  expect((await other.listBranches('s'))[0]).toMatchObject({ newerThanHead: 0 })
})

it('writes on under another name when somebody purged what it has yet to write', async () => {
  const store = newStore()
  await store.addMessage('s', 'user', 'one')
  const [entry] = await entriesOf(store)
  const forged = sealEntry({
    w: 5,
    s: 0,
    branch: '',
    type: 'purge',
    data: { ranges: { [writerKey(entry!.w)]: [[1, 2 ** 50]] } },
    at: 1,
    clock: { hp: 1, hc: 0 },
  })
  await store.merge('s', [forged])
  await store.addMessage('s', 'user', 'two')
  expect((await store.getHistory('s')).map(({ content }) => content)).toEqual(['one', 'two'])
})

it('has no text in a document any more that an edit replaced and reclaim erased', async () => {
  const store = newStore()
  const document = await documentOf(store)
  const server = new Y.Doc()
  document.doc.on('update', (update: Uint8Array) => Y.applyUpdate(server, update))
  const other = newStore()
  const copy = await documentOf(other)
  for (const text of ['first', 'second']) await store.addMessage('s', 'user', text)
  const [first, second] = (await store.read('s', { after: '' })).entries
  for (const text of ['secret 1', 'secret 2', 'last']) {
    await store.edit('s', first!, { role: 'user', content: text })
    await store.edit('s', second!, { role: 'user', content: text })
    await document.publish()
    if (text === 'secret 1') await copy.receive(Y.encodeStateAsUpdate(server), 'server')
  }
  await store.remove('s', second!)
  await store.reclaim('s')
  await document.publish()
  const textOf = (doc: Y.Doc): string => new TextDecoder().decode(Y.encodeStateAsUpdate(doc))
  expect(textOf(server)).not.toMatch(/secret|second/)
  await copy.receive(Y.encodeStateAsUpdate(server), 'server')
  expect((await other.getHistory('s')).map(({ content }) => content)).toEqual(['last'])
  await other.reclaim('s')
  for (const one of [store, other]) expect(JSON.stringify(await one.changes('s'))).not.toMatch(/secret|second/)
  await copy.publish()
  for (const doc of [document.doc, copy.doc]) expect(Y.encodeStateAsUpdate(doc)).toEqual(Y.encodeStateAsUpdate(server))
})

it('shows a text that is to be erased until the one is here that replaced it', async () => {
  const store = newStore()
  await store.addMessage('s', 'user', 'first')
  const [entry] = (await store.read('s', { after: '' })).entries
  await store.edit('s', entry!, { role: 'user', content: 'replaced' })
  const other = newStore()
  await other.merge('s', (await store.changes('s')).entries)
  await store.edit('s', entry!, { role: 'user', content: 'last' })
  // Another tab reclaims, so that its purge can come without the edit.
  const tab = newStore()
  await tab.merge('s', (await store.changes('s')).entries)
  await tab.reclaim('s')
  const { entries } = await tab.changes('s')
  await other.merge(
    's',
    entries.filter(({ type }) => type === 'purge'),
  )
  await other.reclaim('s')
  expect((await other.getHistory('s')).map(({ content }) => content)).toEqual(['replaced'])
  expect((await other.verify('s')).problems).toEqual([])
  await other.merge('s', entries)
  await other.reclaim('s')
  expect((await other.getHistory('s')).map(({ content }) => content)).toEqual(['last'])
  expect(JSON.stringify(await other.changes('s'))).not.toContain('replaced')
  expect(await other.getVector('s')).toEqual(await tab.getVector('s'))
})

it('does not fill the memory with what nobody wrote', async () => {
  const store = newStore()
  await store.addMessage('s', 'user', 'one')
  const document = await documentOf(store)
  const ranges = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [writerKey(1000 + i), [[0, 900_000]]]))
  const forged = sealEntry({ w: 5, s: 0, branch: '', type: 'purge', data: { ranges }, at: 1, clock: { hp: 1, hc: 0 } })
  const doc = new Y.Doc()
  doc.clientID = 5
  doc.getArray(rootName(5)).push([toWireEntry(forged)])
  const before = process.memoryUsage().heapUsed
  expect(await document.receive(Y.encodeStateAsUpdate(doc), 'them')).toMatchObject({ added: 1 })
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(200_000_000)
  expect(Y.encodeStateAsUpdate(document.doc).length).toBeLessThan(1_000_000)
})

it('does not call deleted what a purge on its way explains', async () => {
  const store = newStore()
  const document = await documentOf(store)
  const updates: Uint8Array[] = []
  document.doc.on('update', (update: Uint8Array) => updates.push(update))
  for (const text of ['one', 'two', 'three']) await store.addMessage('s', 'user', text)
  await document.publish()
  await store.setSummary('s', 'lost on its way')
  await document.publish()
  await store.remove('s', (await store.read('s')).entries[1]!)
  await store.reclaim('s')
  await document.publish()
  // Yjs deletes at once, and lets the purge wait for what is missing before it.
  const server = new Y.Doc()
  for (const update of [updates[0]!, updates[2]!]) Y.applyUpdate(server, update)
  const other = newStore()
  const copy = await documentOf(other)
  expect(await copy.receive(Y.encodeStateAsUpdate(server), 'server')).toMatchObject({ quarantined: [], hasGap: true })
  expect((await other.getHistory('s')).map(({ content }) => content)).toEqual(['one', 'three'])
  await copy.receive(Y.encodeStateAsUpdate(document.doc), 'server')
  expect(Y.encodeStateAsUpdate(copy.doc)).toEqual(Y.encodeStateAsUpdate(document.doc))
  expect(Y.encodeStateAsUpdate((await documentOf(other)).doc)).toEqual(Y.encodeStateAsUpdate(document.doc))
})
