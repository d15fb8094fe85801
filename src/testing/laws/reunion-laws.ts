import { expect } from 'vitest'
import type { Entry } from '../../contract/entry.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { sealEntry } from '../../domain/seal.ts'
import { allChanges, history, numbered, say } from '../helpers.ts'
import { type Laws, needs } from '../law.ts'

const scope = {
  version: 1,
  agent_id: 'main',
  channel: 'telegram',
  account: 'default',
  dimensions: ['chat'],
  values: { chat: 'direct:42' },
} as const
const old = 'tel:1'
const exact = { isKey: true } as const

/** Takes over what another device has under each of these keys. */
async function receive(store: SessionStore, from: SessionStore, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await store.merge(key, await logOf(from, key), exact)
}

async function logOf(store: SessionStore, key: string): Promise<readonly Entry[]> {
  return (await store.changes(key, {}, undefined, exact)).entries
}

/** A session is given names, on a device whose clock reads so. */
function claim(w: number, s: number, at: number, aliases: readonly string[]): Entry {
  return sealEntry({
    w,
    s,
    branch: '',
    type: 'meta',
    data: { set: { aliases: [...aliases] } },
    at,
    clock: { hp: at, hc: 0 },
  })
}

const idsOf = async (store: SessionStore, key: string): Promise<readonly string[]> =>
  (await logOf(store, key)).map(({ w, s, crc }) => `${w}.${s} ${crc}`).sort()

/**
 * How a log that was written under a name comes together with the session that another device gave that name to (L20).
 */
export const reunionLaws: Laws = {
  'L20: moves in the log of a name that another device gave to a new session': needs(
    ['oneHistory', 'listSessions'],
    async ({ store, openElsewhere }) => {
      const elsewhere = await openElsewhere()
      await elsewhere.ensureSessionMetadata('new', scope, [old])
      await say(elsewhere, 'new', ['there'])
      await say(store, old, ['offline'])
      const entries = await allChanges(store, old)
      await receive(store, elsewhere, 'new')
      expect(await store.resolveSessionKey(old)).toBe('new')
      expect((await history(store, old)).sort()).toEqual(['offline', 'there'])
      expect(await allChanges(store, 'new')).toEqual(expect.arrayContaining([...entries]))
      expect((await store.listSessions()).sessions.find(({ key }) => key === old)).toMatchObject({ promotedTo: 'new' })
      await say(store, old, ['more'])
      expect((await history(store, 'new')).at(-1)).toBe('more')
      expect(await store.getSessionScope(old)).toEqual(scope)
      expect((await store.verify()).problems).toEqual([])
    },
  ),

  'L20: moves it in where whoever merges says what the session must have': needs(
    ['oneHistory'],
    async ({ store, openElsewhere }) => {
      const elsewhere = await openElsewhere()
      await say(elsewhere, 'new', ['there'])
      await receive(store, elsewhere, 'new')
      await say(store, old, ['offline'])
      await elsewhere.updateMeta('new', { aliases: [old] })
      const having = (await store.getVector('new', exact))!
      await store.merge('new', await logOf(elsewhere, 'new'), { ...exact, having })
      expect(await store.resolveSessionKey(old)).toBe('new')
      expect((await history(store, 'new')).sort()).toEqual(['offline', 'there'])
    },
  ),

  'L20: remembers an operation id that was used before the log continued elsewhere': needs(
    ['oneHistory'],
    async ({ store, openElsewhere }) => {
      const elsewhere = await openElsewhere()
      await elsewhere.ensureSessionMetadata('new', scope, [old])
      await say(elsewhere, 'new', ['there'])
      const texts = numbered(8)
      for (const text of texts) await say(store, old, [text], { operationId: text })
      await receive(store, elsewhere, 'new')
      for (const text of [...texts, 'more', 'more']) await say(store, old, [text], { operationId: text })
      expect((await history(store, 'new')).sort()).toEqual([...texts, 'more', 'there'])
    },
  ),

  'L20: moves late entries for a name into the session that has the name': needs(
    ['oneHistory'],
    async ({ store, openElsewhere }) => {
      const elsewhere = await openElsewhere()
      await say(elsewhere, old, ['first'])
      await store.ensureSessionMetadata('new', scope, [old])
      await receive(store, elsewhere, old)
      expect(await history(store, 'new')).toEqual(['first'])
      await say(elsewhere, old, ['second'])
      await elsewhere.setSummary(old, 'so far')
      await receive(store, elsewhere, old)
      expect(await history(store, old)).toEqual(['first', 'second'])
      expect([await store.resolveSessionKey(old), await store.getSummary('new')]).toEqual(['new', 'so far'])
    },
  ),

  'L20: moves the same entries on every device': needs(['oneHistory'], async ({ store, openElsewhere }) => {
    const [maker, other] = [await openElsewhere(), await openElsewhere()]
    await say(store, old, ['a', 'b'])
    await store.updateMeta(old, { aliases: ['nickname'] })
    await receive(other, store, old)
    await maker.ensureSessionMetadata('new', scope, [old])
    // The one has the log when the name comes, the other has the name when the log comes.
    await receive(store, maker, 'new')
    const third = await openElsewhere()
    await receive(third, maker, 'new')
    await receive(third, other, old)
    await receive(other, maker, 'new')
    for (const key of [old, 'new']) {
      expect(await idsOf(other, key)).toEqual(await idsOf(store, key))
      expect(await idsOf(third, key)).toEqual(await idsOf(store, key))
    }
    expect(await Promise.all([store, other, third].map((device) => device.resolveSessionKey('nickname')))).toEqual([
      'new',
      'new',
      'new',
    ])
  }),

  'L20: resolves to one session when two devices promote a history to two': needs(
    ['oneHistory'],
    async ({ store, openElsewhere }) => {
      const [elsewhere, third] = [await openElsewhere(), await openElsewhere()]
      await say(store, old, ['a'])
      await receive(elsewhere, store, old)
      expect((await store.ensureSessionMetadata('one', scope, [old])).promoted).toBe(old)
      expect((await elsewhere.ensureSessionMetadata('two', scope, [old])).promoted).toBe(old)
      await say(store, old, ['in one'])
      await say(elsewhere, old, ['in two'])
      for (const key of ['two', old, 'one']) await receive(store, elsewhere, key)
      for (const key of [old, 'one', 'two']) await receive(elsewhere, store, key)
      for (const key of ['one', 'two', old]) await receive(third, elsewhere, key)
      await receive(store, elsewhere, old, 'one', 'two')
      const devices = [store, elsewhere, third]
      const owners = await Promise.all(devices.map((device) => device.resolveSessionKey(old)))
      expect([...new Set(owners)]).toHaveLength(1)
      for (const device of devices) {
        expect([await history(device, 'one'), await history(device, 'two')]).toEqual([
          ['a', 'in one'],
          ['a', 'in two'],
        ])
        await say(device, old, ['to both alike'])
        expect((await history(device, owners[0]!)).at(-1)).toBe('to both alike')
      }
    },
  ),

  'L19: resolves to the session that had a name first when two devices gave it to two': needs(
    ['oneHistory'],
    async ({ store, openElsewhere }) => {
      const [second, third] = [await openElsewhere(), await openElsewhere()]
      const first = [claim(1, 0, 1_000, ['x']), claim(1, 1, 3_000, ['x', 'more'])]
      const later = [claim(2, 0, 2_000, ['x'])]
      for (const [device, order] of [
        [
          store,
          [
            ['first', first],
            ['later', later],
          ],
        ],
        [
          second,
          [
            ['later', later],
            ['first', first],
          ],
        ],
      ] as const) {
        for (const [key, entries] of order) await device.merge(key, entries, exact)
        expect(await device.resolveSessionKey('x')).toBe('first')
        expect((await device.getMeta('later'))?.aliases).toEqual(['x'])
      }
      // What is imported takes no name away.
      await third.merge('later', later)
      await third.merge('first', first)
      expect(await third.resolveSessionKey('x')).toBe('later')
    },
  ),

  'L20: continues a reply that is being streamed in the session that receives its log': needs(
    ['oneHistory'],
    async ({ store, openElsewhere }) => {
      const elsewhere = await openElsewhere()
      await elsewhere.ensureSessionMetadata('new', scope, [old])
      await say(store, old, ['a'])
      const draft = await store.openDraft(old, { role: 'assistant' })
      await store.writeDraft(old, draft, 0, { text: 'half' })
      await receive(store, elsewhere, 'new')
      await store.writeDraft(old, draft, 1, { text: ' done' })
      await store.sealDraft(old, draft)
      expect(await history(store, 'new')).toEqual(['a', 'half done'])
    },
  ),

  'L20: gives a name back with its log when its session gives it up elsewhere': needs(
    ['oneHistory'],
    async ({ store, openElsewhere }) => {
      const elsewhere = await openElsewhere()
      await elsewhere.ensureSessionMetadata('new', scope, [old])
      await say(store, old, ['a'])
      await receive(store, elsewhere, 'new')
      await receive(elsewhere, store, old, 'new')
      await elsewhere.updateMeta('new', { aliases: [] })
      await receive(store, elsewhere, 'new', old)
      expect([await store.resolveSessionKey(old), await history(store, old)]).toEqual([old, ['a']])
      await say(store, old, ['again'])
      await receive(elsewhere, store, old, 'new')
      expect([await history(elsewhere, old), await history(elsewhere, 'new')]).toEqual([['a', 'again'], ['a']])
    },
  ),

  'L20: leaves a deleted log in the trash, and moves it when it is undeleted': needs(
    ['oneHistory', 'listSessions'],
    async ({ store, openElsewhere }) => {
      const [elsewhere, third] = [await openElsewhere(), await openElsewhere()]
      await elsewhere.ensureSessionMetadata('new', scope, [old])
      await say(store, old, ['a'])
      await store.delete(old)
      await receive(third, store, old)
      await receive(store, elsewhere, 'new')
      expect([await store.resolveSessionKey(old), await history(store, 'new')]).toEqual(['new', []])
      expect((await store.listSessions({ deleted: true })).sessions.map(({ key }) => key)).toEqual([old])
      await third.undelete(old)
      await receive(store, third, old)
      expect(await history(store, 'new')).toEqual(['a'])
    },
  ),
}
