import { encode, writeAny, writeVarString } from 'lib0/encoding'
import { deepFreeze } from 'lib0/object'
import { describe, expect, it } from 'vitest'
import * as Y from 'yjs'
import type { Entry } from '../../../src/contract/entry.ts'
import type { JsonObject } from '../../../src/contract/json.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { entryId } from '../../../src/domain/address.ts'
import { entryChecksum } from '../../../src/domain/seal.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'
import { createDeterministicCipher } from '../../../src/sync/encryption/deterministic-cipher.ts'
import { KeyMissing } from '../../../src/sync/encryption/key-missing.ts'
import { writeKeyRecord } from '../../../src/sync/encryption/key-record.ts'
import { packWireEntry } from '../../../src/sync/encryption/packed-wire-entry.ts'
import { drawRootKey, type RootKey } from '../../../src/sync/encryption/root-key.ts'
import { sealedCodec } from '../../../src/sync/encryption/sealed-codec.ts'
import { sealedDocumentId } from '../../../src/sync/encryption/sealed-document-id.ts'
import { sealedElements } from '../../../src/sync/encryption/sealed-elements.ts'
import { openSyncKeys, type SyncKeys } from '../../../src/sync/encryption/sync-keys.ts'
import { openIndexDocument } from '../../../src/sync/index-document.ts'
import { plainElements } from '../../../src/sync/plain-elements.ts'
import { openSyncDocument, type SyncDocument } from '../../../src/sync/sync-document.ts'
import { toWireEntry } from '../../../src/sync/wire-entry.ts'

const rootKey = new Uint8Array(32).map((_, i) => i)
const keysOf = (key: RootKey = rootKey): Promise<SyncKeys> => openSyncKeys(key, 'ns')
const newStore = (): SessionStore => createSessionStore(createMemoryBackend())
const open = (store: SessionStore, keys: SyncKeys): Promise<SyncDocument> =>
  openSyncDocument({ store, key: 's', name: 'ns/s/x', elements: sealedElements(keys, 'x') })
const stateOf = ({ doc }: SyncDocument): Uint8Array => Y.encodeStateAsUpdate(doc)
const lacking = (from: SyncDocument, to: SyncDocument): Uint8Array =>
  Y.encodeStateAsUpdate(from.doc, Y.encodeStateVector(to.doc))
const texts = async (store: SessionStore): Promise<readonly unknown[]> =>
  (await store.getHistory('s')).map(({ content }) => content)
const isIn = (bytes: Uint8Array, text: string): boolean => Buffer.from(bytes).includes(text)

async function exchange(a: SyncDocument, b: SyncDocument): Promise<void> {
  await b.receive(lacking(a, b), 'a')
  await a.receive(lacking(b, a), 'b')
}

async function filled(): Promise<SessionStore> {
  const store = newStore()
  await store.addMessage('s', 'user', 'a question about zebras')
  await store.addMessage('s', 'assistant', 'an answer')
  await store.openBranch('s', { after: 'start', name: 'other' })
  await store.addMessage('s', 'user', 'on the branch')
  await store.switchBranch('s', '')
  await store.updateMeta('s', {
    title: 'Striped animals',
    tags: ['x'],
    custom: { a: 1.5, b: [true, null, -3, 2 ** 40] },
  })
  return store
}

const firstOf = async (store: SessionStore): Promise<Entry> => (await store.changes('s')).entries[0]!

describe('sealed elements', () => {
  it('are the same bytes whenever they are made of the same log with the same root key', async () => {
    const store = await filled()
    expect(stateOf(await open(store, await keysOf()))).toEqual(stateOf(await open(store, await keysOf())))
  })

  it('are the same bytes whatever the order of the members of an entry', async () => {
    const codec = sealedElements(await keysOf(), 'x')
    const entry = (await (await filled()).changes('s')).entries.find(({ type }) => type === 'message')!
    const turned = {
      ...entry,
      data: {
        ...entry.data,
        message: Object.fromEntries(Object.entries(entry.data['message'] as object).reverse()) as Record<
          string,
          string
        >,
      },
    }
    expect(JSON.stringify(turned.data)).not.toBe(JSON.stringify(entry.data))
    expect(await codec.write(turned)).toEqual(await codec.write(entry))
  })

  it('are read as the entries they were', async () => {
    const codec = sealedElements(await keysOf(), 'x')
    for (const entry of (await (await filled()).changes('s')).entries)
      expect(await codec.read(entry.w, entry.s, await codec.write(entry))).toEqual(entry)
  })

  it('are read with their checksum, which they carry only where it says that the entry was damaged', async () => {
    const keys = await keysOf()
    const codec = sealedElements(keys, 'x')
    const entry = await firstOf(await filled())
    const written = (await codec.write(entry)) as Uint8Array
    const damaged = { ...entry, crc: (entry.crc ^ 1) >>> 0 }
    expect(((await codec.write(damaged)) as Uint8Array).length).toBe(written.length + 5)
    expect(await codec.read(entry.w, entry.s, await codec.write(damaged))).toEqual(damaged)
    const withChecksum = await createDeterministicCipher(keys, 'session x').seal(
      packWireEntry(toWireEntry(entry)),
      `x/${entryId(entry.w, entry.s)}`,
    )
    expect(await codec.read(entry.w, entry.s, new Uint8Array([...written.subarray(0, 2), ...withChecksum]))).toBe(
      'it is not packed like an entry',
    )
  })

  it('make two devices with the same key the same', async () => {
    const [store, other] = [await filled(), newStore()]
    await other.addMessage('s', 'user', 'offline, on the other')
    const [a, b] = [await open(store, await keysOf()), await open(other, await keysOf())]
    await exchange(a, b)
    expect(stateOf(b)).toEqual(stateOf(a))
    expect(stateOf(await open(other, await keysOf()))).toEqual(stateOf(a))
    expect(await texts(other)).toEqual(await texts(store))
    expect((await other.getMeta('s'))?.title).toBe('Striped animals')
  })

  it('show the server no text, title, type or key', async () => {
    const [sealed, plain] = [
      await open(await filled(), await keysOf()),
      await openSyncDocument({ store: await filled(), key: 's', name: 'ns/s/x', elements: plainElements }),
    ]
    for (const text of ['zebras', 'Striped', 'content', 'user', 'fork', 'custom']) {
      expect(isIn(stateOf(plain), text)).toBe(true)
      expect(isIn(stateOf(sealed), text)).toBe(false)
    }
  })

  it('survive what Yjs does to content where NODE_ENV is development: it freezes what is inside of anything', async () => {
    const keys = await keysOf()
    const { doc } = await open(await filled(), keys)
    const value = { key: 's', title: 'T', createdAt: 1, updatedAt: 2, messageCount: 3, hash: '0123456789abcdef' }
    const index = await openIndexDocument({
      name: 'ns/index',
      codec: sealedCodec([keys]).index,
      now: () => 1,
      onChange: () => undefined,
    })
    await index.addRecord(await writeKeyRecord(keys))
    await index.publish([[await sealedDocumentId('s', keys), value]])
    for (const update of [doc, index.doc].map((one) => Y.encodeStateAsUpdate(one))) {
      const { structs } = Y.decodeUpdate(update)
      expect(structs.length).toBeGreaterThan(0)
      for (const struct of structs)
        if (struct instanceof Y.Item && struct.content instanceof Y.ContentAny)
          expect(() => deepFreeze(struct.content.getContent())).not.toThrow()
    }
  })

  it('add at most 75 bytes to a message of 1 kB live, and 51 at rest', async () => {
    const store = newStore()
    const document = await open(store, await keysOf())
    let live = 0
    let payload = 0
    document.doc.on('update', (update: Uint8Array) => (live += update.length))
    const count = 100
    for (let i = 0; i < count; i++) {
      await store.addMessage('s', i % 2 === 0 ? 'user' : 'assistant', `${i} `.padEnd(950, 'lorem ipsum '))
      await document.publish()
    }
    for (const { type, data } of (await store.changes('s', {}, undefined)).entries)
      if (type === 'message') payload += Buffer.byteLength(JSON.stringify(data))
    const rest = stateOf(document).length
    expect(payload / count).toBeGreaterThan(980)
    expect((live - payload) / count).toBeLessThanOrEqual(75)
    expect((rest - payload) / count).toBeLessThanOrEqual(51)
  })

  it('are damage in another slot, in another session and when a bit was changed', async () => {
    const keys = await keysOf()
    const codec = sealedElements(keys, 'x')
    const entry = await firstOf(await filled())
    const content = (await codec.write(entry)) as Uint8Array
    const changed = content.slice()
    changed[20]! ^= 1
    expect(await codec.read(entry.w, entry.s + 1, content)).toEqual(expect.any(String))
    expect(await codec.read(entry.w + 1, entry.s, content)).toEqual(expect.any(String))
    expect(await sealedElements(keys, 'y').read(entry.w, entry.s, content)).toEqual(expect.any(String))
    expect(await codec.read(entry.w, entry.s, changed)).toEqual(expect.any(String))
    expect(
      await sealedElements(await openSyncKeys(rootKey, 'another namespace'), 'x').read(entry.w, entry.s, content),
    ).not.toEqual(entry)
  })

  it.each<[string, unknown]>([
    ['an array around it', [new Uint8Array(60)]],
    ['a plain tuple', ['message', 1, 0, 0, 0, 0, {}, 1]],
    ['nothing', new Uint8Array(0)],
    ['one byte', new Uint8Array(1)],
    ['a text', 'x'.repeat(60)],
  ])('are damage when there is %s', async (_, content) => {
    expect(await sealedElements(await keysOf(), 'x').read(1, 0, content)).toEqual(expect.any(String))
  })

  it('tell a key that is not here from damage', async () => {
    const entry = await firstOf(await filled())
    const other = await keysOf(drawRootKey())
    const content = await sealedElements(other, 'x').write(entry)
    const read = await sealedElements(await keysOf(), 'x').read(entry.w, entry.s, content)
    expect(read).toBeInstanceOf(KeyMissing)
    expect(other.id.startsWith((read as KeyMissing).keyId)).toBe(true)
  })

  it('lose nothing to a key that is not here: with it, all of it is taken', async () => {
    const [right, wrong] = [await keysOf(), await keysOf(new Uint8Array(32).fill(7))]
    const store = await filled()
    const a = await open(store, right)
    const other = newStore()
    const blind = await open(other, wrong)
    const { entries } = await store.changes('s')
    expect(await blind.receive(stateOf(a), 'a')).toEqual({
      added: 0,
      known: 0,
      quarantined: [],
      sealed: entries.length,
      hasGap: false,
      theirs: a.vector(),
    })
    expect((await other.changes('s')).entries).toEqual([])
    await blind.close()
    const seeing = await open(other, right)
    expect(await seeing.receive(stateOf(a), 'a')).toMatchObject({ added: entries.length, sealed: 0, quarantined: [] })
    expect(stateOf(seeing)).toEqual(stateOf(a))
  })

  it('are refused when somebody with the key packs an entry in another way: it would be other bytes here', async () => {
    const keys = await keysOf()
    const codec = sealedElements(keys, 'x')
    const entry = await firstOf(await filled())
    const wire = toWireEntry(entry, entryChecksum)
    const [head, message] = wire as [string, JsonObject]
    const backwards = Object.fromEntries(Object.entries(message).sort(([a], [b]) => (a < b ? 1 : -1)))
    const mark = ((await codec.write(entry)) as Uint8Array).subarray(0, 2)
    const seal = async (plain: Uint8Array): Promise<unknown> => {
      const sealed = await createDeterministicCipher(keys, 'session x').seal(
        plain as never,
        `x/${entryId(entry.w, entry.s)}`,
      )
      return Uint8Array.from([...mark, ...sealed])
    }
    const pack = (content: JsonObject): Uint8Array =>
      encode((encoder) => {
        writeVarString(encoder, head)
        writeAny(encoder, content as never)
      })
    expect(await codec.read(entry.w, entry.s, await seal(packWireEntry(wire)))).toEqual(entry)
    expect(await codec.read(entry.w, entry.s, await seal(pack(backwards)))).toBe('it is not packed like an entry')
  })
})
