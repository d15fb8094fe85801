import { expect } from 'vitest'
import { mainSessionKey } from '../../domain/identity/session-key.ts'
import {
  allChanges,
  assistant,
  entryOf,
  everything,
  history,
  numbered,
  readAll,
  say,
  transcript,
  user,
} from '../helpers.ts'
import type { Suite } from '../suite.ts'

const scope = {
  version: 1,
  agent_id: 'main',
  channel: 'telegram',
  account: 'default',
  dimensions: ['chat'],
  values: { chat: 'direct:42' },
} as const
const old = 'agent:main:direct:42'
const main = 'agent:main:main'

/** How a session is made of an older one (L20). */
export function promotionLaws({ law }: Suite): void {
  law(
    'L20: makes a session of the first alias with a history',
    async ({ store }) => {
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
    },
    'oneHistory',
  )

  law(
    'L20: knows what was done under an operation id before the history moved',
    async ({ store }) => {
      const texts = numbered(8)
      for (const text of texts) await say(store, old, [text], { operationId: text })
      await store.ensureSessionMetadata('new', scope, [old])
      await store.ensureSessionMetadata('newer', scope, ['new', old])
      for (const text of [...texts, 'more', 'more']) await say(store, old, [text], { operationId: text })
      expect(await history(store, 'newer')).toEqual([...texts, 'more'])
      await store.delete('newer')
      for (const text of ['m0', 'm7', 'm0']) await say(store, 'newer', [text], { operationId: text })
      expect(await history(store, 'newer')).toEqual(['m0', 'm7'])
    },
    'oneHistory',
  )

  law(
    'L20: makes a session of an alias that has a summary only',
    async ({ store }) => {
      await store.setSummary(old, 'so far')
      expect((await store.ensureSessionMetadata('new', scope, [old])).promoted).toBe(old)
      expect(await store.getSummary('new')).toBe('so far')
    },
    'oneHistory',
  )

  law(
    'L20: marks the session whose history moved, and lets its key lead to the new one',
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
    'oneHistory',
    'listSessions',
  )

  law(
    'L20: shows the new session as the old one was, branches, cuts, edits and all',
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
    'oneHistory',
  )

  law(
    'L20: promotes nothing into a session that was ever there',
    async ({ store }) => {
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
    },
    'oneHistory',
  )

  law(
    'L20: promotes once, not again after the new session was cleared or erased',
    async ({ store }) => {
      await say(store, old, ['a'])
      await store.ensureSessionMetadata('new', scope, [old])
      await store.setHistory('new', [])
      await store.setSummary('new', '')
      expect(await store.ensureSessionMetadata('new', scope, [old])).toEqual({ key: 'new', conflicts: [] })
      expect(await history(store, 'new')).toEqual([])
      await store.purge('new')
      expect(await store.ensureSessionMetadata('new', scope, [old])).toEqual({ key: 'new', conflicts: [] })
      expect(await history(store, 'new')).toEqual([])
    },
    'oneHistory',
  )

  law(
    'L20: remembers a promotion no longer than the session it made',
    async ({ store }) => {
      await say(store, old, ['a'])
      const ensure = () => store.ensureSessionMetadata('new', scope, [old], { operationId: 'o' })
      expect(await ensure()).toEqual({ key: 'new', conflicts: [], promoted: old })
      expect(await ensure()).toEqual({ key: 'new', conflicts: [], promoted: old })
      await store.delete('new')
      await ensure()
      expect((await store.getMeta('new'))?.deletedAt).toBeUndefined()
    },
    'oneHistory',
  )

  law(
    'L20: leaves main sessions and what other sessions own alone',
    async ({ store }) => {
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
    },
    'oneHistory',
  )

  law(
    'L20: takes the aliases of the old session along',
    async ({ store }) => {
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
    },
    'oneHistory',
  )

  law(
    'L20: promotes once when a session is ensured many times at once',
    async ({ store }) => {
      await say(store, old, ['a'])
      const calls = ['new', 'new', 'new', 'other'].map((key) => store.ensureSessionMetadata(key, scope, [old]))
      calls.push(say(store, old, ['b']).then(() => store.ensureSessionMetadata('new', scope)))
      const results = await Promise.all(calls)
      expect(results.filter(({ promoted }) => promoted !== undefined)).toHaveLength(1)
      const winner = await store.resolveSessionKey(old)
      expect((await history(store, winner))[0]).toBe('a')
      const loser = winner === 'new' ? 'other' : 'new'
      expect(await history(store, loser)).toEqual([])
    },
    'oneHistory',
  )

  law(
    'L20: promotes once when two tabs ensure at once',
    async ({ store, openAnother }) => {
      const other = await openAnother()
      await say(store, old, ['a'])
      await say(store, 'plain', ['p'])
      await say(other, 'plain', ['q'])
      const results = await Promise.all(
        [store, other].flatMap((tab) => [
          tab.ensureSessionMetadata('new', scope, [old]),
          tab.ensureSessionMetadata('newer', scope, ['plain']),
        ]),
      )
      expect(
        results
          .map(({ promoted }) => promoted)
          .filter((name) => name !== undefined)
          .sort(),
      ).toEqual([old, 'plain'])
      for (const tab of [store, other]) {
        await say(tab, old, ['b'])
        await say(tab, 'plain', ['r'])
      }
      expect(await history(store, 'new')).toEqual(['a', 'b', 'b'])
      expect(await history(other, 'newer')).toEqual(['p', 'q', 'r', 'r'])
    },
    'oneHistory',
    'openAnother',
  )

  law(
    'L20: doubles nothing when two devices promote the same history',
    async ({ store, openElsewhere }) => {
      const elsewhere = await openElsewhere()
      await say(store, old, ['p1', 'p2', 'p3'])
      await elsewhere.merge(old, await allChanges(store, old))
      for (const [device, text] of [
        [store, 'c1'],
        [elsewhere, 'd1'],
      ] as const) {
        expect((await device.ensureSessionMetadata('new', scope, [old])).promoted).toBe(old)
        await say(device, 'new', [text])
      }
      const [ours, theirs] = [await allChanges(store, 'new'), await allChanges(elsewhere, 'new')]
      await store.merge('new', theirs)
      await elsewhere.merge('new', ours)
      const shown = await history(store, 'new')
      expect(await history(elsewhere, 'new')).toEqual(shown)
      // Of what two devices said in one millisecond, either may come first.
      expect([shown.slice(0, 3), shown.slice(3).sort()]).toEqual([
        ['p1', 'p2', 'p3'],
        ['c1', 'd1'],
      ])
    },
    'oneHistory',
  )

  law(
    'L8: gives what was promoted again to who repeats the operation',
    async ({ store }) => {
      await store.append(old, [entryOf(user('a'))], { operationId: 'append' })
      const first = await store.ensureSessionMetadata('new', scope, [old], { operationId: 'ensure' })
      expect(await store.ensureSessionMetadata('new', scope, [old], { operationId: 'ensure' })).toEqual(first)
      await store.append(old, [entryOf(user('a'))], { operationId: 'append' })
      expect(await history(store, 'new')).toEqual(['a'])
    },
    'oneHistory',
  )

  law(
    'L13: promotes what can be read of a damaged session',
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
    'oneHistory',
    'reopen',
    'damage',
  )
}
