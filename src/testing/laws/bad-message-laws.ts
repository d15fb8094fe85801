import { expect } from 'vitest'
import type { Message } from '../../contract/message.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { badMessages, withField } from '../bad-messages.ts'
import { setScene } from '../calls.ts'
import { entryOf, errorNameOf, history, say, stateOf, user } from '../helpers.ts'
import { type Check, type Laws, lawsForEach, needs } from '../law.ts'

/** Every way a message gets in. */
async function writeEverywhere(store: SessionStore, message: unknown): Promise<(string | undefined)[]> {
  const { entries } = await store.read('s', { after: '' })
  const draft = (await store.listDrafts('s'))[0]!.id
  const ways: readonly (() => Promise<unknown>)[] = [
    () => store.append('s', [entryOf(user('good')), entryOf(message as Message)]),
    () => store.addFullMessage('s', message as Message),
    () => store.setHistory('s', [user('good'), message as Message]),
    () => store.edit('s', entries[0]!, message as Message),
    ...(message === undefined ? [] : [() => store.sealDraft('s', draft, message as Message)]),
    () => store.append('new', [entryOf(message as Message)]),
  ]
  const names = []
  for (const way of ways) names.push(await errorNameOf(way))
  return names
}

export const badMessageLaws: Laws = {
  ...lawsForEach(badMessages, ({ name, make, error = 'InvalidInput', uncloneable }) => [
    `L14: refuses a message with ${name}, writes nothing, and works on`,
    needs([...(uncloneable ? (['uncloneable'] as const) : [])], async ({ store }) => {
      await setScene(store, 's')
      const before = await stateOf(store)
      const names = await writeEverywhere(store, make())
      expect(names).toEqual(names.map(() => error))
      expect(await stateOf(store)).toEqual(before)
      await say(store, 's', ['next'])
      expect((await history(store, 's')).at(-1)).toBe('next')
    }),
  ]),

  'L14: repairs what can be repaired without loss: lone surrogates, undefined members, -0': async ({ store }) => {
    const message = {
      role: 'user',
      content: 'half \uD83D of a pair',
      gone: undefined,
      list: [{ gone: undefined }, -0],
      '\uDC00': 1,
    }
    await store.append('s', [entryOf(message as never)])
    const [found] = await store.getHistory('s')
    expect(found).toStrictEqual({ role: 'user', content: 'half \uFFFD of a pair', list: [{}, 0], '\uFFFD': 1 })
  },

  'L14: copies Proxies, as frameworks hand out for their state': needs(
    ['uncloneable', 'oneHistory'],
    async ({ store }) => {
      const reactive = (value: object): never =>
        new Proxy(value, {
          get: (target, name) => {
            const inner: unknown = Reflect.get(target, name)
            return typeof inner === 'object' && inner !== null ? reactive(inner) : inner
          },
        }) as never
      const plain = { role: 'user', content: [{ type: 'text', text: 'from a store' }], extra: { list: [1, { a: 2 }] } }
      await store.append('s', [entryOf(reactive(plain))])
      await store.setHistory('t', reactive([plain]))
      await store.updateMeta('s', reactive({ custom: { a: [1] }, tags: ['x'] }))
      expect(await store.getHistory('s')).toEqual([plain])
      expect(await store.getHistory('t')).toEqual([plain])
      expect(await store.getMeta('s')).toMatchObject({ custom: { a: [1] }, tags: ['x'] })
    },
  ),

  'L14: leaves the prototypes of the page alone': async ({ store }) => {
    await errorNameOf(() =>
      store.append('s', [
        entryOf(withField(JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'))),
      ]),
    )
    await store.updateMeta('__proto__', { custom: { polluted: true } })
    await say(store, 'constructor', ['x'])
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
    expect((await store.getMeta('__proto__'))?.custom).toEqual({ polluted: true })
  },
}

export const uncloneableChecks: Readonly<Record<string, Check>> = {
  'refuses what a port cannot carry, writes nothing, and works on': async ({ store }) => {
    await setScene(store, 's')
    const before = await stateOf(store)
    for (const { make, uncloneable } of badMessages) {
      if (uncloneable !== true) continue
      for (const name of await writeEverywhere(store, make())) expect(name).toBeDefined()
    }
    expect(await stateOf(store)).toEqual(before)
    await say(store, 's', ['next'])
    expect((await history(store, 's')).at(-1)).toBe('next')
  },
}
