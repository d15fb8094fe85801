import { expect } from 'vitest'
import type { ListQuery } from '../../contract/store/session-metadata.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { pushAll } from '../../domain/push-all.ts'
import { entryOf, numbered, refuses, say, user } from '../helpers.ts'
import { type Laws, lawsForEach, type Need, needs } from '../law.ts'

/** A session for each key, a second apart from each other, the first one the oldest. */
async function begin(store: SessionStore, keys: readonly string[]): Promise<void> {
  for (const [i, key] of keys.entries())
    await store.append(key, [entryOf(user(`title of ${key}`), { at: 1_000 * (i + 1) })])
}

async function pages(store: SessionStore, query: ListQuery): Promise<string[]> {
  const found: string[] = []
  let cursor: string | undefined
  do {
    const page = await store.listSessions({ ...query, ...(cursor === undefined ? {} : { cursor }) })
    if (page.sessions.length > (query.limit ?? 50)) throw new Error('A page is longer than asked for.')
    pushAll(
      found,
      page.sessions.map(({ key }) => key),
    )
    cursor = page.next
  } while (cursor !== undefined)
  return found
}

const listing: readonly Need[] = ['oneHistory', 'listSessions']

export const listLaws: Laws = {
  'L18: lists nothing when there is nothing': needs(listing, async ({ store }) => {
    expect(await store.listSessions()).toEqual({ sessions: [], total: 0 })
  }),

  'L18: lists metadata only': needs(listing, async ({ store }) => {
    await begin(store, ['a'])
    await store.updateMeta('a', {
      title: 'T',
      agentId: 'A',
      userId: 'U',
      tags: ['x'],
      archived: true,
      memo: { large: 'x'.repeat(10_000) },
      summary: 'long',
    })
    const meta = (await store.getMeta('a'))!
    const {
      key,
      title,
      titleSource,
      agentId,
      userId,
      archived,
      tags,
      createdAt,
      updatedAt,
      messageCount,
      tokenEstimate,
    } = meta
    expect((await store.listSessions()).sessions).toEqual([
      { key, title, titleSource, agentId, userId, archived, tags, createdAt, updatedAt, messageCount, tokenEstimate },
    ])
  }),

  'L18: lists the newest first': needs(listing, async ({ store }) => {
    await begin(store, ['a', 'b', 'c'])
    expect(await pages(store, {})).toEqual(['c', 'b', 'a'])
    await say(store, 'a', ['again'])
    expect(await pages(store, {})).toEqual(['a', 'c', 'b'])
    expect(await pages(store, { order: 'updated' })).toEqual(['a', 'c', 'b'])
  }),

  'L18: lists by creation and by title': needs(listing, async ({ store }) => {
    await begin(store, ['b', 'C', 'a'])
    await say(store, 'b', ['again'])
    expect(await pages(store, { order: 'created' })).toEqual(['a', 'C', 'b'])
    expect(await pages(store, { order: 'title' })).toEqual(['a', 'b', 'C'])
  }),

  ...lawsForEach(['updated', 'created', 'title'] as const, (order) => [
    `L18: pages by ${order} fit together, whatever their size`,
    needs(listing, async ({ store }) => {
      const keys = numbered(23, 's')
      await begin(store, keys)
      const whole = await pages(store, { order, limit: 10_000 })
      expect([...whole].sort()).toEqual([...keys].sort())
      for (const limit of [1, 5, 22, 23]) expect(await pages(store, { order, limit })).toEqual(whole)
    }),
  ]),

  'L18: pages fit together when sessions are equally old and equally named': needs(listing, async ({ store }) => {
    for (const key of numbered(12, 's')) await store.append(key, [entryOf(user('same'), { at: 1_000 })])
    for (const order of ['updated', 'created', 'title'] as const) {
      const whole = await pages(store, { order })
      expect(new Set(whole).size).toBe(12)
      expect(await pages(store, { order, limit: 5 })).toEqual(whole)
    }
  }),

  'L18: neither skips nor repeats a session that does not change, while others do': needs(
    listing,
    async ({ store }) => {
      await begin(store, numbered(10, 's'))
      const first = await store.listSessions({ limit: 4 })
      await say(store, 's0', ['moves to the front'])
      await store.delete('s4')
      await begin(store, ['new'])
      const rest = await store.listSessions({ limit: 20, cursor: first.next! })
      const seen = [...first.sessions, ...rest.sessions].map(({ key }) => key)
      const unchanged = ['s9', 's8', 's7', 's6', 's5', 's3', 's2', 's1']
      expect(seen.filter((key) => unchanged.includes(key))).toEqual(unchanged)
    },
  ),

  'L18: gives the number of sessions that match, and no cursor on the last page': needs(listing, async ({ store }) => {
    await begin(store, numbered(5, 's'))
    expect(await store.listSessions({ limit: 2 })).toMatchObject({ total: 5, next: expect.any(String) })
    const whole = await store.listSessions({ limit: 5 })
    expect([whole.total, whole.sessions.length, whole.next]).toEqual([5, 5, undefined])
  }),

  'L18: lists the sessions that match the query': needs(listing, async ({ store }) => {
    await begin(store, ['a', 'b', 'c', 'd'])
    await store.updateMeta('a', { agentId: 'main', userId: 'u1', title: 'Über Zürich' })
    await store.updateMeta('b', { agentId: 'main', userId: 'u2', archived: true })
    await store.updateMeta('c', { agentId: 'other', userId: 'u1', archived: false })
    const found = async (query: ListQuery) => [...(await pages(store, query))].sort()
    expect(await found({ agentId: 'main' })).toEqual(['a', 'b'])
    expect(await found({ userId: 'u1' })).toEqual(['a', 'c'])
    expect(await found({ agentId: 'main', userId: 'u1' })).toEqual(['a'])
    expect(await found({ archived: true })).toEqual(['b'])
    expect(await found({ archived: false })).toEqual(['a', 'c', 'd'])
    expect(await found({ title: 'TITLE OF' })).toEqual(['b', 'c', 'd'])
    expect(await found({ title: 'zürich' })).toEqual(['a'])
    expect(await found({ title: '' })).toEqual(['a', 'b', 'c', 'd'])
    expect(await store.listSessions({ agentId: 'nobody' })).toEqual({ sessions: [], total: 0 })
  }),

  'L18: lists a session under the user it belongs to now': needs(listing, async ({ store }) => {
    await begin(store, ['a', 'b'])
    await store.updateMeta('a', { userId: 'u1' })
    await store.updateMeta('b', { userId: 'u1' })
    expect((await pages(store, { userId: 'u1' })).sort()).toEqual(['a', 'b'])
    await store.updateMeta('a', { userId: 'u2' })
    expect([await pages(store, { userId: 'u1' }), await pages(store, { userId: 'u2' })]).toEqual([['b'], ['a']])
    await store.updateMeta('b', { userId: null })
    expect([await pages(store, { userId: 'u1' }), (await pages(store, {})).sort()]).toEqual([[], ['a', 'b']])
    await store.delete('a')
    expect([await pages(store, { userId: 'u2' }), await pages(store, { userId: 'u2', deleted: true })]).toEqual([
      [],
      ['a'],
    ])
    await store.undelete('a')
    expect(await pages(store, { userId: 'u2' })).toEqual(['a'])
  }),

  'L18: lists deleted sessions on request only': needs(listing, async ({ store }) => {
    await begin(store, ['a', 'b', 'c'])
    await store.delete('b')
    expect(await pages(store, {})).toEqual(['c', 'a'])
    const trash = await store.listSessions({ deleted: true })
    expect(trash).toMatchObject({
      total: 1,
      sessions: [{ key: 'b', title: 'title of b', deletedAt: expect.any(Number) }],
    })
  }),

  'L18: lists a session whichever method created it': needs(listing, async ({ store }) => {
    await store.addMessage('a', 'user', 'x')
    await store.setSummary('b', 'x')
    await store.ensureSessionMetadata('c')
    await store.openDraft('d', { role: 'assistant' })
    await store.updateMeta('e', { title: 'x' })
    expect((await pages(store, {})).sort()).toEqual(['a', 'b', 'c', 'd', 'e'])
  }),

  'L14: refuses queries that make no sense': needs(listing, async ({ store }) => {
    for (const query of [
      { limit: 0 },
      { limit: 10_001 },
      { limit: 1.5 },
      { limit: '5' },
      { order: 'size' },
      { cursor: 'made up' },
      { cursor: 5 },
    ]) {
      await refuses(store.listSessions(query as ListQuery), 'InvalidInput')
    }
  }),
}
