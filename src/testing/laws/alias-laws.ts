import { expect } from 'vitest'
import { calls, type KeyedMethod, keyedMethods, setScene } from '../calls.ts'
import { everything, refuses, say, transcript } from '../helpers.ts'
import { type Laws, lawsForEach, needs } from '../law.ts'

const scope = {
  version: 1,
  agent_id: 'main',
  channel: 'web',
  account: 'default',
  dimensions: ['chat'],
  values: { chat: 'c1' },
} as const

/** Methods that only look. */
const reads: ReadonlySet<KeyedMethod> = new Set([
  'read',
  'find',
  'findByMid',
  'getMeta',
  'listBranches',
  'listCheckpoints',
  'listDrafts',
  'getVector',
  'changes',
  'verify',
  'usage',
  'getHistory',
  'getSummary',
  'resolveSessionKey',
  'getSessionScope',
])

export const aliasLaws: Laws = {
  ...lawsForEach(keyedMethods, (method) => [
    `L6: ${method} takes an alias for a key`,
    needs(['oneHistory', 'listSessions'], async ({ store }) => {
      const scene = await setScene(store, 'real')
      await store.updateMeta('real', { aliases: ['other'] })
      const { version } = await store.read('real')
      if (method === 'undelete') await store.delete('real')
      if (reads.has(method)) {
        expect(await calls[method](store, 'other', scene)).toEqual(await calls[method](store, 'real', scene))
        expect((await store.read('real')).version).toBe(version)
      } else {
        await calls[method](store, 'other', scene)
        const isUpkeep = method === 'reclaim' || method === 'save' || method === 'repair'
        if (!isUpkeep && !method.endsWith('Draft')) expect((await store.read('real')).version).not.toBe(version)
      }
      const { sessions } = await store.listSessions()
      const { sessions: deleted } = await store.listSessions({ deleted: true })
      expect([...sessions, ...deleted].map(({ key }) => key)).toEqual(method === 'purge' ? [] : ['real'])
    }),
  ]),

  'L6: takes an unknown alias for a key': needs(['oneHistory'], async ({ store }) => {
    expect(await store.resolveSessionKey('nobody')).toBe('nobody')
    await say(store, 'nobody', ['a'])
    expect(await store.resolveSessionKey('nobody')).toBe('nobody')
    expect((await store.getMeta('nobody'))?.aliases).toEqual([])
  }),

  'L6: lists the aliases of a session, by whatever name it is asked for': needs(['oneHistory'], async ({ store }) => {
    await store.ensureSessionMetadata('real', scope, ['b', 'a'])
    expect([...((await store.getMeta('a'))?.aliases ?? [])].sort()).toEqual(['a', 'b'])
    expect((await store.getMeta('b'))?.key).toBe('real')
    expect(await store.resolveSessionKey('a')).toBe('real')
    expect(await store.getSessionScope('a')).toEqual(scope)
  }),

  "L6: trims aliases, lists each once, and omits the session's own key": needs(['oneHistory'], async ({ store }) => {
    await store.ensureSessionMetadata('real', scope, [' a ', 'a', 'real', 'b', ''])
    expect(await store.getMeta('real')).toMatchObject({ aliases: ['a', 'b'] })
    expect(await store.resolveSessionKey('a')).toBe('real')
  }),

  'L6: leaves an alias with the session that had it first': needs(['oneHistory'], async ({ store }) => {
    await say(store, 'first', ['in first'])
    await say(store, 'second', ['in second'])
    expect(await store.ensureSessionMetadata('first', scope, ['x'])).toEqual({ key: 'first', conflicts: [] })
    expect(await store.ensureSessionMetadata('second', scope, ['x', 'y'])).toEqual({ key: 'second', conflicts: ['x'] })
    expect([await store.resolveSessionKey('x'), await store.resolveSessionKey('y')]).toEqual(['first', 'second'])
    expect(await transcript(store, 'x')).toEqual(['in first'])
  }),

  'L6: refuses to take an alias from another session by updateMeta': needs(['oneHistory'], async ({ store }) => {
    await say(store, 'first', ['in first'])
    await say(store, 'second', ['in second'])
    await store.updateMeta('first', { aliases: ['x'] })
    const before = await everything(store, 'second')
    await refuses(store.updateMeta('second', { aliases: ['x', 'y'], title: 'not stored' }), 'AliasConflict')
    expect(await everything(store, 'second')).toEqual(before)
    expect(await store.resolveSessionKey('y')).toBe('y')
  }),

  'L6: frees an alias that its session gives up': needs(['oneHistory'], async ({ store }) => {
    await say(store, 'first', ['in first'])
    await say(store, 'second', ['in second'])
    await store.updateMeta('first', { aliases: ['x', 'y'] })
    await store.updateMeta('first', { aliases: ['y'] })
    expect(await store.resolveSessionKey('x')).toBe('x')
    await store.updateMeta('second', { aliases: ['x'] })
    expect(await transcript(store, 'x')).toEqual(['in second'])
  }),

  'L6: frees the aliases of a session that is erased': needs(['oneHistory'], async ({ store }) => {
    await say(store, 'first', ['in first'])
    await store.updateMeta('first', { aliases: ['x'] })
    await store.purge('first')
    expect(await store.resolveSessionKey('x')).toBe('x')
    await say(store, 'x', ['new'])
    expect(await transcript(store, 'x')).toEqual(['new'])
    expect(await store.getMeta('first')).toBeUndefined()
  }),
}
