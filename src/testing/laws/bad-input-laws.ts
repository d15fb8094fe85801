import { expect } from 'vitest'
import { controlTypes } from '../../contract/entry.ts'
import type { SessionErrorName } from '../../contract/errors.ts'
import type { Message } from '../../contract/message.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { calls, keyedMethods, setScene } from '../calls.ts'
import { entryOf, errorNameOf, everything, history, say, user } from '../helpers.ts'
import { nest } from '../messages.ts'
import type { Suite } from '../suite.ts'

const withField = (value: unknown): Message => ({ role: 'user', content: 'x', field: value as never })

function cycle(): Message {
  const message: Record<string, unknown> = { role: 'user', content: 'x' }
  message['self'] = { list: [message] }
  return message as unknown as Message
}

interface BadMessage {
  readonly name: string
  readonly make: () => unknown
  readonly error?: SessionErrorName
  /** Whether a port refuses to carry it, or makes something else of it. */
  readonly uncloneable?: true | 'flattened'
}

const badMessages: readonly BadMessage[] = [
  { name: 'a function', make: () => withField(() => 1), uncloneable: true },
  { name: 'a symbol', make: () => withField(Symbol('s')), uncloneable: true },
  { name: 'a promise', make: () => withField(Promise.resolve(1)), uncloneable: true },
  {
    name: 'a getter that throws',
    make: () =>
      withField(
        Object.defineProperty({}, 'a', {
          enumerable: true,
          get: () => {
            throw new Error('no')
          },
        }),
      ),
    uncloneable: true,
  },
  { name: 'a BigInt', make: () => withField(10n) },
  { name: 'NaN', make: () => withField(Number.NaN) },
  { name: 'an infinity', make: () => withField([Number.NEGATIVE_INFINITY]) },
  { name: 'a Date', make: () => withField(new Date(0)) },
  { name: 'an invalid Date', make: () => withField(new Date(Number.NaN)) },
  { name: 'a Map', make: () => withField(new Map([[1, 2]])) },
  { name: 'a Set', make: () => withField(new Set([1])) },
  { name: 'a RegExp', make: () => withField(/x/) },
  { name: 'a boxed text', make: () => withField(Object('x')) },
  { name: 'undefined in a list', make: () => withField([1, undefined]) },
  { name: 'a hole in a list', make: () => withField([1, , 3]) },
  {
    name: 'an instance of a class',
    make: () =>
      withField(
        new (class Part {
          readonly text = 'x'
        })(),
      ),
    uncloneable: 'flattened',
  },
  {
    name: 'an instance of a class as the message',
    make: () =>
      new (class HumanMessage {
        readonly role = 'user'
        readonly content = 'x'
      })(),
    uncloneable: 'flattened',
  },
  {
    name: 'an object with toJSON',
    make: () =>
      withField(
        new (class Money {
          readonly text = 'x'
          toJSON(): string {
            return '1'
          }
        })(),
      ),
    uncloneable: 'flattened',
  },
  { name: 'bytes', make: () => withField(new Uint8Array(3)) },
  { name: 'a cycle', make: cycle },
  {
    name: 'an own key __proto__',
    make: () => withField(JSON.parse('{"__proto__":{"admin":true}}')),
    uncloneable: true,
  },
  { name: '300 levels', make: () => withField(nest(300)) },
  { name: '100,000 levels', make: () => withField(nest(100_000)), uncloneable: true },
  { name: '20 MiB', make: () => withField('x'.repeat(20 * 1024 * 1024)), error: 'TooLarge' },
  { name: 'no role', make: () => ({ content: 'x' }) },
  { name: 'an empty role', make: () => ({ role: '', content: 'x' }) },
  { name: 'a role that is no text', make: () => ({ role: 5, content: 'x' }) },
  { name: 'a content that is a number', make: () => ({ role: 'user', content: 5 }) },
  { name: 'a content that is an object', make: () => ({ role: 'user', content: { type: 'text' } }) },
  { name: 'a part without a type', make: () => ({ role: 'user', content: [{ text: 'x' }] }) },
  { name: 'a part that is null', make: () => ({ role: 'user', content: [null] }) },
  { name: 'nothing at all', make: () => undefined },
  { name: 'null', make: () => null },
  { name: 'a text', make: () => 'hello' },
  { name: 'a list', make: () => [user('x')] },
]

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

async function state(store: SessionStore): Promise<unknown> {
  const { originBytes: _, quotaBytes: __, ...usage } = await store.usage()
  return { session: await everything(store, 's'), list: await store.listSessions(), usage }
}

export function badInputLaws({ law, deviation }: Suite): void {
  for (const { name, make, error = 'InvalidInput', uncloneable } of badMessages) {
    law(
      `L14: refuses a message with ${name}, writes nothing, and works on`,
      async ({ store }) => {
        await setScene(store, 's')
        const before = await state(store)
        const names = await writeEverywhere(store, make())
        expect(names).toEqual(names.map(() => error))
        expect(await state(store)).toEqual(before)
        await say(store, 's', ['next'])
        expect((await history(store, 's')).at(-1)).toBe('next')
      },
      ...(uncloneable ? (['uncloneable'] as const) : []),
    )
  }

  deviation('uncloneable', 'refuses what a port cannot carry, writes nothing, and works on', async ({ store }) => {
    await setScene(store, 's')
    const before = await state(store)
    for (const { make, uncloneable } of badMessages) {
      if (uncloneable !== true) continue
      for (const name of await writeEverywhere(store, make())) expect(name).toBeDefined()
    }
    expect(await state(store)).toEqual(before)
    await say(store, 's', ['next'])
    expect((await history(store, 's')).at(-1)).toBe('next')
  })

  const when = new Date(0) as never
  const dated: readonly (readonly [string, string, (store: SessionStore) => Promise<unknown>])[] = [
    [
      'a message',
      'message.parts[1].at',
      (store) => store.addFullMessage('s', { role: 'user', content: 'x', parts: [0, { at: when }] } as never),
    ],
    ['an entry', 'data.at', (store) => store.append('s', [{ type: 'custom', data: { at: when } }])],
    ['metadata', 'custom.at', (store) => store.updateMeta('s', { custom: { at: when } })],
    ['a memo', 'memo.at', (store) => store.updateMeta('s', { memo: { at: when } })],
    ['a checkpoint', 'state.at', (store) => store.checkpoint('s', { state: { at: when } })],
    [
      'a compaction',
      'details.at',
      (store) => store.setCompaction('s', { summary: 'x', keepLast: 0, details: { at: when } } as never),
    ],
    [
      'a piece of a draft',
      'at',
      async (store) =>
        store.writeDraft('s', (await store.listDrafts('s'))[0]!.id, 9, { part: { type: 'x', at: when } } as never),
    ],
    ['a scope', 'at', (store) => store.ensureSessionMetadata('s', { values: { at: when } } as never)],
  ]
  for (const [name, path, write] of dated) {
    law(`L14: refuses a Date in ${name}, and says where it is`, async ({ store }) => {
      await setScene(store, 's')
      const before = await state(store)
      await expect(write(store)).rejects.toMatchObject({
        name: 'InvalidInput',
        message: expect.stringContaining(`${path} is of type Date`),
      })
      expect(await state(store)).toEqual(before)
    })
  }

  for (const method of keyedMethods) {
    law(`L14: ${method} refuses keys that are none`, async ({ store }) => {
      const scene = await setScene(store, 's')
      const keys = [
        '',
        ...(method === 'verify' || method === 'repair' || method === 'usage' ? [] : [undefined]),
        null,
        5,
        {},
        ['s'],
      ]
      const names = []
      for (const key of keys) names.push(await errorNameOf(() => calls[method](store, key as string, scene)))
      expect(names).toEqual(keys.map(() => 'InvalidInput'))
      expect(await store.usage()).toMatchObject({ sessions: 1 })
    })
  }

  for (const type of controlTypes) {
    law(`L14: refuses to append an entry of type ${type}, which has a method of its own`, async ({ store }) => {
      await say(store, 's', ['a'])
      expect(await errorNameOf(() => store.append('s', [{ type, data: {} }]))).toBe('InvalidInput')
      expect(await history(store, 's')).toEqual(['a'])
    })
  }

  const badEntries: readonly (readonly [string, unknown])[] = [
    ['no list', { type: 'message', message: user('x') }],
    ['a text', 'x'],
    ['nothing', undefined],
    ['an empty list', []],
    ['a list of nothing', [null]],
    ['an entry without a type', [{ message: user('x') }]],
    ['an entry of an empty type', [{ type: '', data: {} }]],
    ['data that is no object', [{ type: 'custom', data: [1] }]],
    ['data with NaN', [{ type: 'custom', data: { n: Number.NaN } }]],
    ['a time that is none', [entryOf(user('x'), { at: Number.NaN })]],
    ['a time that is a text', [{ ...entryOf(user('x')), at: '2026-01-01' }]],
    ['an empty host id', [entryOf(user('x'), { mid: '' })]],
    ['a host id that is no text', [{ ...entryOf(user('x')), mid: 5 }]],
  ]
  for (const [name, entries] of badEntries) {
    law(`L14: append refuses ${name}`, async ({ store }) => {
      await setScene(store, 's')
      const before = await state(store)
      expect(await errorNameOf(() => store.append('s', entries as never))).toBe('InvalidInput')
      expect(await state(store)).toEqual(before)
    })
  }

  law('L14: append refuses options that make no sense', async ({ store }) => {
    await setScene(store, 's')
    const before = await state(store)
    for (const options of [
      { branch: 'nowhere' },
      { branch: 5 },
      { durability: 'forever' },
      { onConflict: 'merge', parent: '' },
    ]) {
      expect([options, await errorNameOf(() => say(store, 's', ['x'], options as never))]).toEqual([
        options,
        'InvalidInput',
      ])
    }
    expect(await state(store)).toEqual(before)
  })

  law('L14: findByMid refuses what is no list of ids', async ({ store }) => {
    await setScene(store, 's')
    for (const mids of ['m1', undefined, null, [5], [null]])
      expect(await errorNameOf(() => store.findByMid('s', mids as never))).toBe('InvalidInput')
  })

  law('L14: repairs what can be repaired without loss: lone surrogates, undefined members, -0', async ({ store }) => {
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
  })

  law(
    'L14: copies Proxies, as frameworks hand out for their state',
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
    'uncloneable',
    'oneHistory',
  )

  law('L14: leaves the prototypes of the page alone', async ({ store }) => {
    await errorNameOf(() =>
      store.append('s', [
        entryOf(withField(JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'))),
      ]),
    )
    await store.updateMeta('__proto__', { custom: { polluted: true } })
    await say(store, 'constructor', ['x'])
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
    expect((await store.getMeta('__proto__'))?.custom).toEqual({ polluted: true })
  })
}
