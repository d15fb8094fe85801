import { expect } from 'vitest'
import { mainSessionKey } from '../../domain/identity/session-key.ts'
import { sealEntry } from '../../domain/seal.ts'
import { allChanges, everything, history, refuses, say, transcript } from '../helpers.ts'
import { type Laws, lawsForEach, needs } from '../law.ts'

const scope = {
  version: 1,
  agent_id: 'main',
  channel: 'web',
  account: 'default',
  dimensions: ['chat'],
  values: { chat: 'direct:1' },
} as const
const main = 'agent:a:main'

/** Which session a text names (L19). */
export const nameLaws: Laws = {
  "L19: resolves a main session's readable name to that session only": needs(['oneHistory'], async ({ store }) => {
    for (const key of ['one', 'two']) {
      expect(await store.ensureSessionMetadata(key, scope, [main, mainSessionKey('a')])).toEqual({ key, conflicts: [] })
      expect((await store.getMeta(key))?.aliases).toEqual([main, mainSessionKey('a')])
    }
    expect(await store.resolveSessionKey(main)).toBe(mainSessionKey('a'))
    expect(await store.getMeta(main)).toBeUndefined()
    await say(store, ' AGENT:A:Main ', ['to the main session'])
    expect(await transcript(store, mainSessionKey('a'))).toEqual(['to the main session'])
    expect(await history(store, 'one')).toEqual([])
  }),

  'L19: knows main sessions by three parts exactly': needs(['oneHistory'], async ({ store }) => {
    for (const name of [
      'agent::main',
      'agent:a:main:x',
      'agent:a:mains',
      'agents:a:main',
      'a:agent:main',
      'agent:a:b:main',
    ])
      expect(await store.resolveSessionKey(name)).toBe(name)
  }),

  'L19: lets an alias be replaced by a list that names the main session': needs(['oneHistory'], async ({ store }) => {
    await store.updateMeta('one', { aliases: [main, 'x'] })
    await store.updateMeta('two', { aliases: [main] })
    expect((await store.getMeta('two'))?.aliases).toEqual([main])
    expect(await store.resolveSessionKey(main)).toBe(mainSessionKey('a'))
  }),

  'L19: keeps a session reachable when its key is an alias without a separator': needs(
    ['oneHistory'],
    async ({ store }) => {
      await say(store, 'plain', ['in plain'])
      await store.updateMeta('other', { aliases: ['plain'] })
      expect(await history(store, 'plain')).toEqual(['in plain'])
      await store.purge('plain')
      expect(await store.resolveSessionKey('plain')).toBe('other')
    },
  ),

  ...lawsForEach(['agent:a:direct:p', 'a/b', 'a\\b'], (old) => [
    `L19: prefers the owner of the alias ${old} to a session of that key`,
    needs(['oneHistory'], async ({ store }) => {
      await say(store, old, ['in the old one'])
      await say(store, 'other', ['in the other'])
      expect(await store.ensureSessionMetadata('other', scope, [old])).toEqual({ key: 'other', conflicts: [] })
      await say(store, old, ['by the old name'])
      expect(await history(store, 'other')).toEqual(['in the other', 'by the old name'])
      await store.updateMeta('other', { aliases: [] })
      expect(await history(store, old)).toEqual(['in the old one'])
    }),
  ]),

  'L19: follows one step only, so that circular names end': needs(['oneHistory'], async ({ store }) => {
    const circle = [
      ['a:1', 'b:2'],
      ['b:2', 'c:3'],
      ['c:3', 'a:1'],
    ] as const
    for (const [key] of circle) {
      await say(store, key, [`in ${key}`])
      await store.updateMeta(key, { aliases: [`handle ${key}`] })
    }
    for (const [key, next] of circle) await store.updateMeta(`handle ${key}`, { aliases: [`handle ${key}`, next] })
    for (const [key, next] of circle) {
      expect(await store.resolveSessionKey(next)).toBe(key)
      expect(await history(store, next)).toEqual([`in ${key}`])
    }
  }),

  'L19: looks past the white space around an alias, but not around a key': needs(['oneHistory'], async ({ store }) => {
    await store.updateMeta('real', { aliases: ['\u0085name\u00a0'] })
    expect((await store.getMeta('real'))?.aliases).toEqual(['name'])
    expect(await store.resolveSessionKey(' name\n')).toBe('real')
    await say(store, ' key ', ['a'])
    await say(store, 'key', ['b'])
    expect([await history(store, ' key '), await history(store, 'key')]).toEqual([['a'], ['b']])
  }),

  'L14: refuses a blank key': async ({ store }) => {
    for (const key of ['', ' ', '\t\n', '\u0085', '\u3000\u00a0']) {
      await refuses(say(store, key, ['x']), 'InvalidInput')
      await refuses(store.getHistory(key), 'InvalidInput')
      await refuses(store.resolveSessionKey(key), 'InvalidInput')
      await refuses(store.ensureSessionMetadata(key, scope), 'InvalidInput')
    }
    expect((await store.listSessions()).total).toBe(0)
  },

  'L19: accepts a list of aliases exactly as it was read': needs(['oneHistory'], async ({ store }) => {
    await store.ensureSessionMetadata('first', scope, ['shared'])
    await store.ensureSessionMetadata('second', scope, ['shared', 'own'])
    const { aliases } = (await store.getMeta('second'))!
    expect(aliases).toEqual(['shared', 'own'])
    expect((await store.updateMeta('second', { aliases: [...aliases, 'new'] })).aliases).toEqual([
      'shared',
      'own',
      'new',
    ])
    expect(await store.resolveSessionKey('shared')).toBe('first')
    await store.updateMeta('second', { aliases: ['own'] })
    expect(await store.resolveSessionKey('shared')).toBe('first')
    await refuses(store.updateMeta('second', { aliases: ['own', 'shared'] }), 'AliasConflict')
  }),

  'L19: gives a freed alias to the session ensured next, not to one that lists it': needs(
    ['oneHistory'],
    async ({ store }) => {
      await store.ensureSessionMetadata('first', scope, ['shared'])
      await store.ensureSessionMetadata('second', scope, ['shared'])
      await store.updateMeta('first', { aliases: [] })
      expect(await store.resolveSessionKey('shared')).toBe('shared')
      expect(await store.ensureSessionMetadata('second', scope, ['shared'])).toEqual({ key: 'second', conflicts: [] })
      expect(await store.resolveSessionKey('shared')).toBe('second')
      await store.delete('second')
      expect(await store.resolveSessionKey('shared')).toBe('second')
      expect((await store.ensureSessionMetadata('third', scope, ['shared'])).conflicts).toEqual(['shared'])
      await store.purge('second')
      expect((await store.ensureSessionMetadata('third', scope, ['shared'])).conflicts).toEqual([])
      expect(await store.resolveSessionKey('shared')).toBe('third')
    },
  ),

  'L19: gives an alias to one of the sessions that ask for it at once': needs(['oneHistory'], async ({ store }) => {
    const results = await Promise.all(
      ['a', 'b', 'c', 'd'].map((key) => store.ensureSessionMetadata(key, scope, ['shared', key + key])),
    )
    expect(results.filter(({ conflicts }) => conflicts.length === 0).map(({ key }) => key)).toEqual([
      await store.resolveSessionKey('shared'),
    ])
    for (const key of ['a', 'b', 'c', 'd']) expect((await store.getMeta(key))?.aliases).toEqual(['shared', key + key])
  }),

  'L19: learns the aliases of a session that comes from another device': needs(
    ['oneHistory'],
    async ({ store, openElsewhere }) => {
      const elsewhere = await openElsewhere()
      await elsewhere.ensureSessionMetadata('theirs', scope, [main, 'x', 'shared', 'given up'])
      await elsewhere.updateMeta('theirs', { aliases: [main, 'x', 'shared'] })
      await store.ensureSessionMetadata('ours', scope, ['shared'])
      await store.merge('theirs', await allChanges(elsewhere, 'theirs'))
      const names = ['x', 'shared', main, 'given up']
      expect(await Promise.all(names.map((name) => store.resolveSessionKey(name)))).toEqual([
        'theirs',
        'ours',
        mainSessionKey('a'),
        'given up',
      ])
      expect((await store.getMeta('theirs'))?.aliases).toEqual([main, 'x', 'shared'])
      await elsewhere.updateMeta('theirs', { aliases: ['shared'] })
      await store.merge('theirs', await allChanges(elsewhere, 'theirs'))
      expect(await store.resolveSessionKey('x')).toBe('x')
    },
  ),

  'L13: reads invalid metadata as if it were not set': needs(['oneHistory'], async ({ store }) => {
    const set = {
      scope: { version: 1, agent_id: 5 },
      aliases: 'x',
      title: 5,
      tags: 'x',
      memo: [1],
      summary: {},
      promotedTo: 7,
      archived: 'no',
      custom: null,
    }
    const clock = { hp: 1_700_000_000_000, hc: 0 }
    const entry = sealEntry({ w: 4_711, s: 0, branch: '', type: 'meta', data: { set }, at: clock.hp, clock })
    expect((await store.merge('s', [entry])).added).toBe(1)
    const meta = await store.getMeta('s')
    expect(meta).toMatchObject({ aliases: [], title: '', tags: [], memo: {}, summary: '', archived: false })
    expect([meta?.scope, meta?.promotedTo, await store.getSessionScope('s')]).toEqual([undefined, undefined, undefined])
    await store.listSessions({ title: 'x', order: 'title' })
    expect((await store.verify('s')).problems.filter(({ kind }) => kind === 'meta')).toHaveLength(
      Object.keys(set).length - 1,
    )
    await store.ensureSessionMetadata('s', scope, ['y'])
    expect(await store.getSessionScope('y')).toEqual(scope)
  }),

  'L5: returns a scope that shares nothing with the store': async ({ store }) => {
    await store.ensureSessionMetadata('s', scope)
    const first = (await store.getSessionScope('s')) as { values: Record<string, string> }
    first.values['chat'] = 'changed'
    expect(await store.getSessionScope('s')).toEqual(scope)
  },

  'L14: writes nothing when metadata is refused': needs(['oneHistory'], async ({ store }) => {
    await store.ensureSessionMetadata('first', scope, ['taken'])
    await store.ensureSessionMetadata('s', scope, ['own'])
    const before = await everything(store, 's')
    await refuses(store.updateMeta('s', { aliases: ['own', 'fresh', 'taken'], title: 'no' }), 'AliasConflict')
    await refuses(store.updateMeta('s', { aliases: ['fresh'], scope: { version: 2 } as never }), 'InvalidInput')
    for (const bad of [
      { ...scope, dimensions: 'chat' },
      { ...scope, values: { chat: 1 } },
      { ...scope, channel: undefined },
    ]) {
      await refuses(store.ensureSessionMetadata('s', bad as never, ['fresh']), 'InvalidInput')
    }
    await refuses(store.ensureSessionMetadata('s', scope, ['fresh', 5 as never]), 'InvalidInput')
    expect(await everything(store, 's')).toEqual(before)
    expect(await store.resolveSessionKey('fresh')).toBe('fresh')
  }),

  'L19: exports and imports the log of a key, whoever has its name, with isKey': needs(
    ['oneHistory'],
    async ({ store }) => {
      const exact = { isKey: true } as const
      const old = 'tel:1'
      await say(store, old, ['in the old one'])
      await say(store, 'other', ['in the other'])
      await store.ensureSessionMetadata('other', scope, [old, 'bare'])
      expect((await store.changes(old, {}, undefined, exact)).entries.map(({ data }) => data)).toEqual([
        { message: { role: 'user', content: 'in the old one' } },
      ])
      expect(await store.getVector(old, exact)).not.toEqual(await store.getVector('other', exact))
      expect(await store.getVector(old)).toEqual(await store.getVector('other', exact))
      expect([
        await store.getVector('bare', exact),
        (await store.changes('bare', {}, undefined, exact)).entries,
      ]).toEqual([undefined, []])
      expect(await transcript(store, old)).toEqual(['in the other'])
    },
  ),
}
