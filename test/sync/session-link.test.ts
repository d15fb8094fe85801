import { expect, it } from 'vitest'
import { Doc, encodeStateAsUpdate, encodeStateVector, mergeUpdates } from 'yjs'
import type { SyncLink } from '../../src/sync/link.ts'
import { plainElements } from '../../src/sync/plain-elements.ts'
import { openSessionLink } from '../../src/sync/session-link.ts'
import type { SessionTrouble } from '../../src/sync/session-link-options.ts'
import { openSyncDocument } from '../../src/sync/sync-document.ts'
import { nextPiece } from '../../src/sync/transports/update-piece.ts'
import { newStore } from './device.ts'

const nothing = encodeStateAsUpdate(new Doc())

/** One that says what it has when the test wants it to. */
async function openLink() {
  const store = newStore()
  const troubles: SessionTrouble[] = []
  let asked = 0
  let synced = 0
  let link!: SyncLink
  const session = await openSessionLink({
    store,
    key: 's',
    name: 'me/s/1',
    elements: plainElements,
    transport: {
      open: (its) => {
        link = its
        return { ask: () => void (asked += 1), close: async () => undefined }
      },
      close: async () => undefined,
    },
    onReport: () => undefined,
    onSent: () => undefined,
    onSynced: () => void (synced += 1),
    onTrouble: (trouble) => void troubles.push(trouble),
  })
  return {
    session,
    troubles,
    asked: () => asked,
    synced: () => synced,
    isSynced: () => synced > 0,
    say: async (text: string): Promise<Uint8Array> => {
      await store.addMessage('s', 'user', text)
      await session.publish()
      return encodeStateVector(link.doc)
    },
    has: (vector: Uint8Array): void => link.peerHas(vector),
    send: (update: Uint8Array): Promise<void> => link.receive(update, undefined),
    answer: async (vector: Uint8Array): Promise<void> => {
      link.peerHas(vector)
      await link.receive(nothing, undefined)
    },
  }
}

it('answers that were on their way when something more was said are no sign that the other side takes nothing', async () => {
  const { session, say, answer, troubles, isSynced } = await openLink()
  const had = encodeStateVector(session.document.doc)
  for (let n = 0; n < 9; n++) await say(`m${n}`)
  const now = await say('the last')
  for (let n = 0; n < 10; n++) await answer(had)
  expect([troubles, isSynced()]).toEqual([[], false])
  await answer(now)
  expect([troubles, isSynced()]).toEqual([[], true])
  await session.close()
})

it('one that still lacks what it was sent is not asked for ever', async () => {
  const { session, say, answer, troubles, asked } = await openLink()
  const had = encodeStateVector(session.document.doc)
  await say('never taken')
  while (troubles.length === 0) await answer(had)
  expect(troubles).toEqual([{ state: 'error', message: expect.stringContaining('still lacks what it was sent') }])
  expect(asked()).toBeLessThan(10)
  await session.close()
})

/** A session of three entries in three pieces, and what they all come to. */
async function inPieces() {
  const store = newStore()
  for (let n = 0; n < 3; n++) await store.addMessage('s', 'user', `m${n}`)
  const document = await openSyncDocument({ store, key: 's', name: 'me/s/1', elements: plainElements })
  const pieces: Uint8Array[] = []
  for (
    let piece = nextPiece(document.doc, new Map(), 1);
    piece !== undefined;
    piece = nextPiece(document.doc, piece.reached, 1)
  )
    pieces.push(piece.update)
  const all = encodeStateVector(document.doc)
  await document.close()
  return { pieces, all }
}

it('says that both have the same when all pieces of what the other side told of have come', async () => {
  const { session, has, send, synced } = await openLink()
  const { pieces, all } = await inPieces()
  expect(pieces.length).toBeGreaterThan(2)
  has(all)
  for (const piece of pieces) {
    expect(synced()).toBe(0)
    await send(piece)
  }
  expect(synced()).toBe(1)
  await session.close()
})

it('says so again only when what the other side has since told of has come', async () => {
  const { session, has, send, synced } = await openLink()
  const {
    pieces: [first, ...others],
    all,
  } = await inPieces()
  await send(first!)
  has(encodeStateVector(session.document.doc))
  expect(synced()).toBe(1)
  has(all)
  expect(synced()).toBe(1)
  await send(mergeUpdates(others))
  expect(synced()).toBe(2)
  await session.close()
})

it('says nothing while something is being taken in', async () => {
  const { session, has, send, synced } = await openLink()
  const { pieces } = await inPieces()
  const taken = send(pieces[0]!)
  has(encodeStateVector(session.document.doc))
  expect(synced()).toBe(0)
  await taken
  expect(synced()).toBe(1)
  await session.close()
})

it.each([
  ['is of a kind that is not used here', (doc: Doc): void => void doc.getMap('m').set('a', 1)],
  ['is no entry', (doc: Doc): void => ((doc.clientID = 5), doc.getArray('w:5').push([{ type: 'message' }]))],
] as const)('does not wait for what %s and was refused', async (_, write) => {
  const { session, has, send, synced, troubles } = await openLink()
  const doc = new Doc()
  write(doc)
  has(encodeStateVector(doc))
  expect(synced()).toBe(0)
  await send(encodeStateAsUpdate(doc))
  expect([synced(), troubles]).toEqual([1, []])
  await session.close()
})

it('one that tells of what it never sends is not asked for ever', async () => {
  const { session, answer, troubles, asked, synced } = await openLink()
  const { all } = await inPieces()
  while (troubles.length === 0) await answer(all)
  expect([troubles.map(({ state }) => state), synced()]).toEqual([['error'], 0])
  expect(asked()).toBeLessThan(10)
  await session.close()
})
