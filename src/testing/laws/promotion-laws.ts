import { expect } from 'vitest'
import { mainSessionKey } from '../../domain/identity/session-key.ts'
import { assistant, entryOf, everything, history, readAll, say, transcript, user } from '../helpers.ts'
import { type Laws, needs } from '../law.ts'
import { old, scope } from '../promoted-session.ts'

const main = 'agent:main:main'

/** How a session is made of an older one (L20). */
export const promotionLaws: Laws = {
  'L20: promotes the first alias that has a history': needs(['oneHistory'], async ({ store }) => {
    await store.updateMeta('agent:main:blank', { summary: ' \n' })
    await say(store, old, ['a', 'b'])
    await store.setSummary(old, 'so far')
    await say(store, 'agent:main:later', ['c'])
    const entries = await readAll(store, old)
    const result = await store.ensureSessionMetadata('new', scope, [
      main,
      'nobody',
      'agent:main:blank',
      old,
      'agent:main:later',
    ])
    expect(result).toEqual({ key: 'new', conflicts: [], promoted: old })
    expect(await readAll(store, 'new')).toEqual(entries)
    expect(await store.getMeta('new')).toMatchObject({
      key: 'new',
      summary: 'so far',
      scope,
      messageCount: 2,
      aliases: [main, 'nobody', 'agent:main:blank', old, 'agent:main:later'],
    })
    expect(await store.getSummary('new')).toBe('so far')
  }),

  'L20: promotes an alias that has only a summary': needs(['oneHistory'], async ({ store }) => {
    await store.setSummary(old, 'so far')
    expect((await store.ensureSessionMetadata('new', scope, [old])).promoted).toBe(old)
    expect(await store.getSummary('new')).toBe('so far')
  }),

  'L20: marks the session whose history moved, and resolves its key to the new one': needs(
    ['oneHistory', 'listSessions'],
    async ({ store }) => {
      for (const key of [old, 'plain']) {
        await say(store, key, [`in ${key}`])
        await store.ensureSessionMetadata(`new ${key}`, scope, [key])
        expect(await store.resolveSessionKey(key)).toBe(`new ${key}`)
        await say(store, key, ['more'])
        expect(await history(store, `new ${key}`)).toEqual([`in ${key}`, 'more'])
      }
      const { sessions } = await store.listSessions()
      expect(Object.fromEntries(sessions.map(({ key, promotedTo }) => [key, promotedTo]))).toEqual({
        [old]: `new ${old}`,
        plain: 'new plain',
        [`new ${old}`]: undefined,
        'new plain': undefined,
      })
      await store.updateMeta('new plain', { aliases: [] })
      expect(await history(store, 'plain')).toEqual(['in plain'])
      expect((await store.getMeta('plain'))?.promotedTo).toBe('new plain')
    },
  ),

  'L20: shows the new session as the old one was, branches, cuts, edits and all': needs(
    ['oneHistory'],
    async ({ store }) => {
      const [first] = await say(store, old, ['a', 'b', 'c', 'd'])
      await store.truncateHistory(old, 3)
      const [, second] = await readAll(store, old)
      await store.edit(old, second!, user('edited'))
      await store.append(old, [entryOf(assistant('x'), { mid: 'm' })])
      await store.openBranch(old, { after: second! })
      await say(store, old, ['on the branch'])
      await store.setCompaction(old, { summary: 'shorter', keepLast: 1 })
      await store.checkpoint(old, { label: 'here', state: { step: 1 } })
      await store.updateMeta(old, { title: 'T', memo: { m: 1 } })
      const draft = await store.openDraft(old, { role: 'assistant' })
      await store.writeDraft(old, draft, 0, { text: 'half' })
      const before = (await everything(store, old)) as Record<string, object>
      await store.ensureSessionMetadata('new', scope, [old])
      const after = (await everything(store, 'new')) as Record<string, object>
      const own = { key: 'new', id: 'new', scope, aliases: [old], updatedAt: expect.any(Number) as number }
      expect(after).toEqual({ ...before, meta: { ...before['meta'], ...own } })
      expect((await store.findByMid('new', ['m']))[0]?.data).toEqual({ message: assistant('x'), mid: 'm' })
      expect((await store.verify('new')).problems).toEqual([])
      await store.writeDraft(old, draft, 1, { text: ' done' })
      await store.sealDraft(old, draft)
      expect((await history(store, 'new')).at(-1)).toBe('half done')
      expect(first).toBeDefined()
    },
  ),

  'L20: promotes nothing into a session that existed at any time': needs(['oneHistory'], async ({ store }) => {
    await say(store, old, ['a'])
    await say(store, 'cleared', ['x'])
    await store.setHistory('cleared', [])
    await store.ensureSessionMetadata('bare', scope)
    await store.setSummary('deleted', '')
    await store.delete('deleted')
    for (const key of ['cleared', 'bare', 'deleted']) {
      expect((await store.ensureSessionMetadata(key, scope, [old])).promoted).toBeUndefined()
      expect(await history(store, key)).toEqual([])
      await store.updateMeta(key, { aliases: [] })
    }
  }),

  'L20: leaves main sessions and what other sessions own alone': needs(['oneHistory'], async ({ store }) => {
    await say(store, main, ['in main'])
    await say(store, old, ['in old'])
    await say(store, 'owner', ['in owner'])
    await store.updateMeta('owner', { aliases: [old] })
    await say(store, 'deleted', ['x'])
    await store.delete('deleted')
    expect(
      await store.ensureSessionMetadata('new', scope, [main, mainSessionKey('main'), old, 'deleted', 'new']),
    ).toEqual({ key: 'new', conflicts: [old] })
    expect(await history(store, 'new')).toEqual([])
    expect(await transcript(store, main)).toEqual(['in main'])
  }),

  'L20: moves the aliases of the old session too': needs(['oneHistory'], async ({ store }) => {
    await say(store, old, ['a'])
    await store.ensureSessionMetadata('someone', scope, ['shared'])
    await store.ensureSessionMetadata(old, scope, ['x', 'shared'])
    expect(await store.ensureSessionMetadata('new', scope, [old, 'y'])).toEqual({
      key: 'new',
      conflicts: [],
      promoted: old,
    })
    expect(await Promise.all(['x', 'y', 'shared', old].map((name) => store.resolveSessionKey(name)))).toEqual([
      'new',
      'new',
      'someone',
      'new',
    ])
  }),

  'L13: promotes the readable part of a damaged session': needs(
    ['oneHistory', 'reopen', 'damage'],
    async ({ store, damage, reopen }) => {
      await say(
        store,
        old,
        Array.from({ length: 100 }, (_, i) => `m${i}`),
      )
      await damage(old)
      await store.close()
      const again = await reopen()
      await again.ensureSessionMetadata('new', scope, [old])
      const left = await transcript(again, 'new')
      expect(left.length).toBeLessThan(100)
      expect((await again.getMeta('new'))?.messageCount).toBe(left.length)
      await say(again, 'new', ['more'])
      expect((await history(again, 'new')).at(-1)).toBe('more')
    },
  ),
}
