import { expect, it } from 'vitest'
import * as Y from 'yjs'
import type { Entry } from '../../../src/contract/entry.ts'
import type { Message } from '../../../src/contract/message.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { entryId } from '../../../src/domain/address.ts'
import { entryProblem } from '../../../src/domain/seal.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'
import { openIndexDocument } from '../../../src/sync/index-document.ts'
import { plainCodec } from '../../../src/sync/plain-codec.ts'
import { plainElements } from '../../../src/sync/plain-elements.ts'
import { openSyncDocument, type SyncDocument } from '../../../src/sync/sync-document.ts'
import { createRandom } from '../simulation/random.ts'
import { hostileUpdate, type Loot } from './hostile-updates.ts'

/** Runs in `npm test`; `SYNC_HOSTILE` asks for more. */
const count = Number(process.env['SYNC_HOSTILE'] ?? 2000)
const timeout = 30_000 + count * 30
/** Updates against one session: what is sound of them stays, so it grows. */
const perSession = 250

const documentOf = (store: SessionStore): Promise<SyncDocument> =>
  openSyncDocument({ store, key: 's', name: 's', elements: plainElements })

async function logOf(store: SessionStore): Promise<readonly Entry[]> {
  const entries: Entry[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await store.changes('s', {}, cursor)
    entries.push(...page.entries)
    if (page.next === undefined) return entries
    cursor = page.next
  }
}

async function fill(store: SessionStore): Promise<void> {
  for (const text of ['one', 'two', 'three'])
    await store.append('s', [
      { type: 'message', message: { role: 'user', content: text } },
      { type: 'message', message: { role: 'assistant', content: `${text} it is, ${'and so on '.repeat(10)}` } },
    ])
  await store.openBranch('s', { after: 'start', name: 'other' })
  await store.addMessage('s', 'user', 'on the branch')
  await store.updateMeta('s', { title: 'T', tags: ['x'], custom: { a: 1.5, b: { c: [null, true, 'ü'] } } })
  await store.switchBranch('s', '')
}

/** A session, what of it went over the wire, and who wrote in it. */
async function openVictim(): Promise<{ store: SessionStore; document: SyncDocument; loot: Loot }> {
  const backend = createMemoryBackend()
  const store = createSessionStore(backend)
  const document = await documentOf(store)
  const updates: Uint8Array[] = []
  document.doc.on('update', (update: Uint8Array) => updates.push(update))
  await fill(store)
  await document.publish()
  // Another tab.
  await fill(createSessionStore(backend))
  await document.publish()
  const writers = Object.entries(document.vector()).map(([writer, next]) => ({ w: Number.parseInt(writer, 36), next }))
  return { store, document, loot: { updates: [...updates, Y.encodeStateAsUpdate(document.doc)], writers } }
}

it(
  'leaves a session as it is, but for entries that are sound, and takes the next good update',
  async () => {
    for (let n = 0; n < count; n += perSession) {
      const random = createRandom(n)
      const { store, document, loot } = await openVictim()
      const before = await logOf(store)
      for (let i = 0; i < Math.min(perSession, count - n); i++) {
        const report = await document.receive(hostileUpdate(random, loot), 'them')
        expect(report.error).toBeUndefined()
      }
      const after = new Map((await logOf(store)).map((entry) => [entryId(entry.w, entry.s), entry]))
      for (const entry of before) expect(after.get(entryId(entry.w, entry.s))).toEqual(entry)
      expect(
        [...after.values()].map((entry) => entryProblem(entry)).filter((problem) => problem !== undefined),
      ).toEqual([])
      expect(Y.encodeStateAsUpdate(document.doc)).toEqual(Y.encodeStateAsUpdate((await documentOf(store)).doc))
      expect((await store.verify('s')).problems.filter(({ kind }) => kind !== 'meta')).toEqual([])
      expect(({} as { admin?: unknown }).admin).toBeUndefined()
      // Who was there before writes on, and so does somebody else.
      await store.addMessage('s', 'user', 'still here')
      const other = createSessionStore(createMemoryBackend())
      await other.addMessage('s', 'user', 'good')
      const good = Y.encodeStateAsUpdate((await documentOf(other)).doc)
      expect(await document.receive(good, 'them')).toMatchObject({ added: 1, quarantined: [], hasGap: false })
      const said = (await logOf(store)).map(({ data }) => (data['message'] as Message | undefined)?.content)
      expect(said).toEqual(expect.arrayContaining(['one', 'two', 'three', 'still here', 'good']))
      await document.publish()
      await document.close()
    }
  },
  timeout,
)

it(
  'leaves the list of sessions in order',
  async () => {
    for (let n = 0; n < count; n += perSession) {
      const random = createRandom(n + 1)
      const value = { key: 's', title: 'T', createdAt: 1, updatedAt: 2, messageCount: 3, hash: '0123456789abcdef' }
      const open = () =>
        openIndexDocument({
          name: 'index',
          codec: plainCodec.index,
          now: () => 1_700_000_000_000,
          onChange: () => undefined,
        })
      const index = await open()
      const updates: Uint8Array[] = []
      index.doc.on('update', (update: Uint8Array) => updates.push(update))
      for (let i = 0; i < 5; i++) await index.publish([[`document ${i}`, { ...value, key: `s${i}` }]])
      const loot = {
        updates: [...updates, Y.encodeStateAsUpdate(index.doc)],
        writers: [{ w: index.doc.clientID, next: 5 }],
      }
      for (let i = 0; i < Math.min(perSession, count - n); i++)
        await index.receive(hostileUpdate(random, loot), 'them').catch(() => undefined)
      const other = await open()
      await other.publish([['another', { ...value, key: 'another' }]])
      await index.receive(Y.encodeStateAsUpdate(other.doc), 'them')
      expect(index.entries().get('another')?.key).toBe('another')
      await index.publish([['mine', { ...value, key: 'mine' }]])
      expect(index.entries().get('mine')?.key).toBe('mine')
      expect([index.doc.store.pendingStructs, index.doc.store.pendingDs]).toEqual([null, null])
    }
  },
  timeout,
)
