import { expect } from 'vitest'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { calls, foreignEntry, keyedMethods, setScene } from '../calls.ts'
import { entryOf, everything, history, readAll, say, user } from '../helpers.ts'
import { type Laws, lawsForEach, needs } from '../law.ts'

/** Puts something else in every place of a result that can be changed. */
function spoil(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value) || value instanceof Blob) return
  for (const [key, inner] of Object.entries(value)) {
    spoil(inner)
    ;(value as Record<string, unknown>)[key] = 'spoiled'
  }
  if (Array.isArray(value)) value.push('spoiled')
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.values(value).forEach(freeze)
    Object.freeze(value)
  }
  return value
}

const looks: readonly (readonly [string, (store: SessionStore) => Promise<unknown>])[] = [
  ['read', (store) => store.read('s', { after: '' })],
  ['read of the raw view', (store) => store.read('s', { last: 5, view: 'raw' })],
  ['getHistory', (store) => store.getHistory('s')],
  ['getMeta', (store) => store.getMeta('s')],
  ['getSessionScope', (store) => store.getSessionScope('s')],
  ['listSessions', (store) => store.listSessions()],
  ['listBranches', (store) => store.listBranches('s')],
  ['listCheckpoints', (store) => store.listCheckpoints('s')],
  ['listDrafts', (store) => store.listDrafts('s')],
  ['find', (store) => store.find('s', { mid: 'm1' })],
  ['findByMid', (store) => store.findByMid('s', ['m1'])],
  ['getVector', (store) => store.getVector('s')],
  ['changes', (store) => store.changes('s')],
  ['verify', (store) => store.verify('s')],
]

export const isolationLaws: Laws = {
  ...lawsForEach(looks, ([name, look]) => [
    `L5: what ${name} gives can be changed without any effect`,
    async ({ store }) => {
      await setScene(store, 's')
      const before = structuredClone(await look(store))
      spoil(await look(store))
      expect(await look(store)).toEqual(before)
    },
  ]),

  'L5: what writes give can be changed without any effect': async ({ store }) => {
    const scene = await setScene(store, 's')
    const result = await store.updateMeta('s', { custom: { list: [1] } }, { operationId: 'op' })
    const expected = structuredClone(result)
    spoil(result)
    expect(await store.updateMeta('s', { custom: { list: [1] } }, { operationId: 'op' })).toEqual(expected)
    expect(await store.getMeta('s')).toEqual(expected)
    spoil(await store.restoreCheckpoint('s', scene.checkpoint))
    expect((await store.restoreCheckpoint('s', scene.checkpoint)).state).toEqual({ step: 1 })
  },

  'L5: takes a copy of its arguments at the call, not later': async ({ store }) => {
    const message = { role: 'user', content: [{ type: 'text', text: 'as given' }], extra: { n: 1 } }
    const entries = [entryOf(message)]
    const options = { operationId: 'op' }
    const patch = { custom: { list: [1] }, tags: ['a'] }
    const calling = [
      store.append('s', entries, options),
      store.addFullMessage('s', message),
      store.updateMeta('s', patch),
    ]
    message.content[0]!.text = 'changed'
    message.extra.n = 2
    entries.push(entryOf(user('smuggled in')))
    options.operationId = 'another'
    patch.custom.list.push(2)
    patch.tags.push('b')
    await Promise.all(calling)
    const given = { role: 'user', content: [{ type: 'text', text: 'as given' }], extra: { n: 1 } }
    expect(await store.getHistory('s')).toEqual([given, given])
    expect(await store.getMeta('s')).toMatchObject({ custom: { list: [1] }, tags: ['a'] })
  },

  'L5: keeps a list given to setHistory, or to merge, as it was': async ({ store, openElsewhere }) => {
    const messages = [user('a'), user('b')]
    const setting = store.setHistory('s', messages)
    messages.length = 0
    await setting
    expect(await history(store, 's')).toEqual(['a', 'b'])
    const other = await openElsewhere()
    const entries = [structuredClone(foreignEntry('as given'))]
    const merging = other.merge('s', entries)
    spoil(entries)
    await merging
    expect(await history(other, 's')).toEqual(['as given'])
  },

  'L5: changes nothing in its arguments': async ({ store }) => {
    const scene = await setScene(store, 's')
    const message = freeze({ role: 'user', content: [{ type: 'text', text: 'frozen' }] })
    const operation = freeze({ operationId: 'op', durability: 'relaxed' as const })
    await store.append('s', freeze([entryOf(message)]), operation)
    await store.edit('s', freeze({ ...scene.first }), message)
    await store.setHistory('s', freeze([message, user('x')]))
    await store.updateMeta('s', freeze({ custom: { a: [1] }, tags: ['t'], aliases: ['x'] }))
    await store.merge('s', freeze([foreignEntry()]))
    await store.ensureSessionMetadata(
      's',
      freeze({ version: 1, agent_id: 'a', channel: 'c', account: 'd' } as const),
      freeze(['y']),
    )
    await store.setCompaction('s', freeze({ summary: 's', keepLast: 1, details: { a: [1] } }))
    expect((await readAll(store, 's')).length).toBeGreaterThan(0)
  },

  'L5: what is done to one session leaves the others as they were': needs(['oneHistory'], async ({ store }) => {
    await setScene(store, 'neighbour')
    const before = await everything(store, 'neighbour')
    for (const method of keyedMethods) {
      const scene = await setScene(store, method)
      if (method === 'undelete') await store.delete(method)
      await calls[method](store, method, scene)
    }
    expect(await everything(store, 'neighbour')).toEqual(before)
    await say(store, 'neighbour', ['next'])
    expect((await history(store, 'neighbour')).at(-1)).toBe('next')
  }),
}
