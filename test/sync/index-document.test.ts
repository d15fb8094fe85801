import { expect, it } from 'vitest'
import * as Y from 'yjs'
import { type IndexDocument, openIndexDocument } from '../../src/sync/index-document.ts'
import type { IndexValue } from '../../src/sync/index-entry.ts'
import { plainCodec } from '../../src/sync/plain-codec.ts'

const value = (more: Partial<IndexValue> = {}): IndexValue => ({
  key: 's',
  title: 'title',
  createdAt: 1,
  updatedAt: 1,
  messageCount: 1,
  hash: 'aa',
  ...more,
})
const open = (now: number): Promise<IndexDocument> =>
  openIndexDocument({ name: 'me/index', codec: plainCodec.index, now: () => now, onChange: () => undefined })
const exchange = async (a: IndexDocument, b: IndexDocument): Promise<void> => {
  const [ofA, ofB] = [Y.encodeStateAsUpdate(a.doc), Y.encodeStateAsUpdate(b.doc)]
  await a.receive(ofB, 'them')
  await b.receive(ofA, 'them')
}
const entryIn = (index: IndexDocument): Partial<IndexValue> | undefined => index.entries().get('id')

it('holds a session for gone where what was said later knew nothing of its purge', async () => {
  const [earlier, later] = [await open(1000), await open(2000)]
  await earlier.publish([['id', value({ title: '', hash: '', purged: { w: 3 } })]])
  await later.publish([['id', value({ hash: 'bb' })]])
  await exchange(earlier, later)
  for (const index of [earlier, later]) expect(entryIn(index)).toMatchObject({ hash: '', purged: { w: 3 } })
})

it('loses no purge when it takes out what counts no more', async () => {
  const [earlier, later] = [await open(1000), await open(2000)]
  await earlier.publish([['id', value({ title: '', hash: '', purged: { w: 3 } })]])
  await later.publish([['id', value({ hash: 'bb' })]])
  await exchange(earlier, later)
  await later.publish([['other', value({ key: 't' })]])
  await exchange(earlier, later)
  for (const index of [earlier, later]) expect(entryIn(index)).toMatchObject({ hash: '', purged: { w: 3 } })
})

it('joins what was purged by several, and takes out what is in the whole', async () => {
  const [earlier, later] = [await open(1000), await open(2000)]
  await earlier.publish([['id', value({ title: '', hash: '', purged: { v: 1, w: 3 } })]])
  await later.publish([['id', value({ title: '', hash: '', purged: { w: 2, x: 1 } })]])
  await exchange(earlier, later)
  expect(entryIn(earlier)).toMatchObject({ purged: { v: 1, w: 3, x: 1 } })
  await earlier.publish([['id', value({ hash: 'bb', purged: { v: 1, w: 3, x: 1 } })]])
  await exchange(earlier, later)
  for (const index of [earlier, later]) {
    expect(entryIn(index)).toMatchObject({ hash: 'bb', purged: { v: 1, w: 3, x: 1 } })
    expect(index.doc.getArray('index').length).toBe(1)
  }
})
