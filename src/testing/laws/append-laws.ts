import { expect } from 'vitest'
import {
  allChanges,
  assistant,
  entryOf,
  history,
  numbered,
  readAll,
  refuses,
  say,
  transcript,
  user,
} from '../helpers.ts'
import { type Laws, needs } from '../law.ts'

export const appendLaws: Laws = {
  'L1: stores an entry before append resolves': async ({ store }) => {
    await store.append('s', [entryOf(user('hello'))])
    expect(await transcript(store, 's')).toEqual(['hello'])
    expect((await store.getMeta('s'))?.messageCount).toBe(1)
  },

  'L1: returns the position of each entry, in the order given': async ({ store }) => {
    const result = await store.append('s', [entryOf(user('a'), { at: 5 }), entryOf(assistant('b'), { at: 6 })])
    const found = await readAll(store, 's')
    expect(result).toEqual({
      entries: found.map(({ id, branch, order, at }) => ({ id, branch, order, at })),
      branch: '',
      moved: false,
    })
    expect(result.entries.map(({ at }) => at)).toEqual([5, 6])
  },

  'L1: gives the current time to an entry without a time': async ({ store }) => {
    const before = Date.now()
    const [entry] = await say(store, 's', ['a'])
    expect(entry?.at).toBeGreaterThanOrEqual(before)
    expect(entry?.at).toBeLessThanOrEqual(Date.now())
  },

  'L2: keeps the entries of one append in the order given': async ({ store }) => {
    await say(store, 's', numbered(40))
    expect(await transcript(store, 's')).toEqual(numbered(40))
  },

  'L2: keeps appends that were awaited one after the other in that order': async ({ store }) => {
    for (const text of numbered(20))
      await store.append('s', [entryOf(Number(text.slice(1)) % 3 === 0 ? user(text) : assistant(text))])
    expect(await transcript(store, 's')).toEqual(numbered(20))
  },

  'L2: keeps appends that were not awaited in the order they were made': async ({ store }) => {
    await Promise.all(numbered(40).map((text) => say(store, 's', [text])))
    expect(await transcript(store, 's')).toEqual(numbered(40))
  },

  'L2: sorts by what the writer had seen, not by the times of the entries': async ({ store }) => {
    await store.append('s', [entryOf(user('first'), { at: 2_000 })])
    await store.append('s', [entryOf(user('second'), { at: 1_000 })])
    expect(await transcript(store, 's')).toEqual(['first', 'second'])
  },

  'L2: gives every entry a unique id and a unique order': async ({ store }) => {
    const first = await say(store, 's', numbered(20))
    const second = await say(store, 's', numbered(20))
    const all = [...first, ...second]
    expect(new Set(all.map(({ id }) => id)).size).toBe(40)
    expect(all.map(({ order }) => order)).toEqual([...new Set(all.map(({ order }) => order))].sort())
  },

  'L2: starts a turn with each user message, and counts answers to it': async ({ store }) => {
    await store.append('s', [entryOf(user('q1')), entryOf(assistant('a1'))])
    await store.append('s', [entryOf(assistant('more'))])
    await store.append('s', [entryOf(user('q2')), entryOf(assistant('a2'))])
    const turns = (await readAll(store, 's')).map(({ turn }) => turn)
    expect(turns.map((turn) => turns.indexOf(turn))).toEqual([0, 0, 0, 3, 3])
  },

  'L2: keeps a tool result of either dialect in the turn of its call': async ({ store }) => {
    await store.append('s', [
      entryOf(user('q')),
      entryOf({
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
      }),
      entryOf({ role: 'tool', tool_call_id: 'c1', content: '1' }),
      entryOf({ role: 'assistant', content: [{ type: 'tool_use', id: 'c2', name: 'f', input: {} }] }),
    ])
    await store.append('s', [
      entryOf({ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c2', content: '2' }] }),
    ])
    const entries = await readAll(store, 's')
    expect(entries.length).toBe(5)
    expect(new Set(entries.map(({ turn }) => turn)).size).toBe(1)
  },

  'L2: continues a turn that another store began, on the head and on another line': needs(
    ['openAnother'],
    async ({ store, openAnother }) => {
      const other = await openAnother()
      const [first] = await say(store, 's', ['first'])
      const branch = await store.openBranch('s', { after: first!, head: false })
      await say(store, 's', ['on main'])
      await say(store, 's', ['on the side'], { branch: branch.id })
      for (const line of ['', branch.id]) {
        await other.append('s', [entryOf(assistant('answer'))], { branch: line })
        const [question, answer] = (await readAll(other, 's', { branch: line })).slice(-2)
        expect([answer?.message, answer?.turn]).toEqual([assistant('answer'), question?.turn])
      }
    },
  ),

  'L2: continues a turn that came from another device': async ({ store, openElsewhere }) => {
    const other = await openElsewhere()
    await say(store, 's', ['first', 'question'])
    await other.merge('s', await allChanges(store, 's'))
    await other.append('s', [entryOf(assistant('answer'))])
    const turns = (await readAll(other, 's')).map(({ turn }) => turn)
    expect(turns.map((turn) => turns.indexOf(turn))).toEqual([0, 1, 1])
  },

  'L3: stores all entries of a call or none': async ({ store }) => {
    await say(store, 's', ['there'])
    const before = await store.getMeta('s')
    await refuses(
      store.append('s', [entryOf(user('good')), entryOf({ role: 'user', content: Number.NaN as never })]),
      'InvalidInput',
    )
    expect(await transcript(store, 's')).toEqual(['there'])
    expect(await store.getMeta('s')).toEqual(before)
  },

  'L3: shows a batch and its metadata to a reader together': async ({ store }) => {
    const writing = (async () => {
      for (let i = 0; i < 10; i++) await say(store, 's', numbered(4))
    })()
    let isDone = false
    void writing.finally(() => (isDone = true))
    while (!isDone) {
      // A store that answers without leaving this task must let the writer go on.
      await new Promise((resolve) => setTimeout(resolve))
      const [count, page] = await Promise.all([
        store.getMeta('s').then((meta) => meta?.messageCount ?? 0),
        store.read('s', { after: '', limit: 100 }),
      ])
      expect([count % 4, page.entries.length % 4]).toEqual([0, 0])
    }
    await writing
  },

  'L4: keeps entries of every type, and shows their data': async ({ store }) => {
    await store.append('s', [
      { type: 'model_change', data: { provider: 'p', modelId: 'm' } },
      entryOf(user('hello')),
      { type: 'custom', data: { customType: 'x', data: { n: 1 } }, mid: 'c1', at: 7 },
      { type: 'a type of tomorrow', data: {} },
    ])
    const [model, message, custom, unknown] = await readAll(store, 's')
    expect([model?.type, model?.data, model?.message]).toEqual([
      'model_change',
      { provider: 'p', modelId: 'm' },
      undefined,
    ])
    expect([message?.type, message?.data]).toEqual(['message', undefined])
    expect(custom).toMatchObject({ type: 'custom', data: { customType: 'x', data: { n: 1 } }, mid: 'c1', at: 7 })
    expect(unknown?.type).toBe('a type of tomorrow')
    expect(await history(store, 's')).toEqual(['hello'])
    expect((await store.getMeta('s'))?.messageCount).toBe(1)
  },

  'L4: finds entries by the ids of the host library, the newest of each': async ({ store }) => {
    await store.append('s', [
      entryOf({ role: 'user', content: 'a', id: 'm1' }),
      entryOf(assistant('b'), { mid: 'm2' }),
      entryOf({ role: 'user', content: 'c', id: 'own' }, { mid: 'm3' }),
    ])
    const [newer] = (await store.append('s', [entryOf(assistant('a again'), { mid: 'm1' })])).entries
    const found = await store.findByMid('s', ['m3', 'none', 'm1', 'own', 'm2', 'm3'])
    expect(found.map((entry) => (entry?.data['message'] as { content?: string } | undefined)?.content)).toEqual([
      'c',
      undefined,
      'a again',
      undefined,
      'b',
      'c',
    ])
    expect(found[2]?.order).toBe(newer?.order)
    expect((await readAll(store, 's')).map(({ mid }) => mid)).toEqual(['m1', 'm2', 'm3', 'm1'])
    expect(await store.findByMid('s', [])).toEqual([])
  },

  'L1: accepts either durability': async ({ store }) => {
    await say(store, 's', ['strict'], { durability: 'strict' })
    await say(store, 's', ['relaxed'], { durability: 'relaxed' })
    expect(await transcript(store, 's')).toEqual(['strict', 'relaxed'])
  },

  'L1: increments the version of a page with every change': async ({ store }) => {
    await say(store, 's', ['a'])
    const first = (await store.read('s')).version
    expect(first).toBeGreaterThan(0)
    expect((await store.read('s')).version).toBe(first)
    await say(store, 's', ['b'])
    expect((await store.read('s')).version).toBeGreaterThan(first)
  },

  'L1: has a log without holes: each writer counts from 0': async ({ store }) => {
    await say(store, 's', numbered(5))
    await refuses(store.append('s', [entryOf({ role: '' })]), 'InvalidInput')
    await store.updateMeta('s', { title: 't' })
    await say(store, 's', numbered(5))
    const entries = await allChanges(store, 's')
    for (const writer of new Set(entries.map(({ w }) => w))) {
      const numbers = entries
        .filter(({ w }) => w === writer)
        .map(({ s }) => s)
        .sort((a, b) => a - b)
      expect(numbers).toEqual(numbers.map((_, i) => i))
    }
  },
}
