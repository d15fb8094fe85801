import { expect } from 'vitest'
import type { Message } from '../../contract/message.ts'
import { allChanges, assistant, history, numbered, readAll, refuses, say, transcript, user } from '../helpers.ts'
import { type Laws, lawsForEach } from '../law.ts'
import { messages } from '../messages.ts'

const saying = (...texts: string[]): Message[] => texts.map((text, i) => (i % 2 === 0 ? user(text) : assistant(text)))

const changes: readonly (readonly [string, string[], string[]])[] = [
  ['the same', ['a', 'b', 'c'], ['a', 'b', 'c']],
  ['longer', ['a', 'b'], ['a', 'b', 'c', 'd']],
  ['shorter at the end', ['a', 'b', 'c', 'd'], ['a', 'b']],
  ['shorter at the start', ['a', 'b', 'c', 'd'], ['c', 'd']],
  ['shorter at the start and longer at the end', ['a', 'b', 'c', 'd'], ['c', 'd', 'e', 'f']],
  ['changed in the middle', ['a', 'b', 'c', 'd'], ['a', 'B', 'c', 'd']],
  ['changed at the end', ['a', 'b', 'c'], ['a', 'b', 'C']],
  ['changed at the start', ['a', 'b', 'c'], ['A', 'b', 'c']],
  ['with something put in between', ['a', 'b', 'c'], ['a', 'x', 'b', 'c']],
  ['another', ['a', 'b'], ['x', 'y', 'z']],
  ['empty', ['a', 'b'], []],
  ['from empty', [], ['a', 'b']],
  ['turned around', ['a', 'b', 'c'], ['c', 'b', 'a']],
  ['made of the same text over and over', ['a', 'a', 'a'], ['a', 'a', 'a', 'a', 'a']],
]

export const historyLaws: Laws = {
  ...lawsForEach(changes, ([name, before, after]) => [
    `L1: setHistory makes the history ${name}`,
    async ({ store }) => {
      await say(store, 's', ['begin'])
      await store.setHistory('s', before.map(user))
      expect(await store.getHistory('s')).toEqual(before.map(user))
      await store.setHistory('s', after.map(user))
      expect(await store.getHistory('s')).toEqual(after.map(user))
      expect(await transcript(store, 's')).toEqual(after)
      expect((await store.getMeta('s'))?.messageCount).toBe(after.length)
      await say(store, 's', ['and on'])
      expect(await history(store, 's')).toEqual([...after, 'and on'])
    },
  ]),

  'L1: setHistory does not write again what stays': async ({ store }) => {
    await store.setHistory('s', saying(...numbered(20))) // bounded: 20
    const before = await readAll(store, 's')
    await store.setHistory('s', saying(...numbered(22))) // bounded: 22
    expect((await readAll(store, 's')).slice(0, 20)).toEqual(before)
    expect((await allChanges(store, 's')).filter(({ type }) => type === 'message').length).toBe(22)
  },

  'L1: setHistory with the same messages writes nothing': async ({ store }) => {
    const rich = Object.values(messages)
    await store.setHistory('s', rich)
    const before = await allChanges(store, 's')
    await store.setHistory('s', rich)
    await store.setHistory('s', structuredClone(rich))
    expect(await allChanges(store, 's')).toEqual(before)
  },

  'L1: setHistory keeps old messages in the log': async ({ store }) => {
    await store.setHistory('s', saying('a', 'b'))
    await store.setHistory('s', saying('x', 'y'))
    expect((await transcript(store, 's', { view: 'raw' })).sort()).toEqual(['a', 'b', 'x', 'y'])
    await store.reclaim('s')
    expect(await transcript(store, 's', { view: 'raw' })).toEqual(['x', 'y'])
  },

  'L1: setHistory leaves transient thoughts out': async ({ store }) => {
    await store.setHistory('s', [
      user('q'),
      { role: 'assistant', content: ' ', reasoning_content: 'hm' },
      assistant('a'),
    ])
    expect(await history(store, 's')).toEqual(['q', 'a'])
  },

  'L1: setHistory keeps transient thoughts when the option asks for it': async ({ store }) => {
    const messages = [user('q'), { role: 'assistant', content: '', reasoning_content: 'hm' }, assistant('a')]
    await store.setHistory('s', messages, { keepThoughts: true })
    expect(await store.getHistory('s')).toEqual(messages)
    await store.setHistory('s', messages)
    expect(await history(store, 's')).toEqual(['q', 'a'])
  },

  'L1: setHistory works on a history that was cut, compacted, edited and removed from': async ({ store }) => {
    const entries = await say(store, 's', numbered(10))
    await store.truncateHistory('s', 8)
    await store.setCompaction('s', { summary: 'short', keepLast: 5 })
    await store.edit('s', entries[8]!, user('edited'))
    await store.remove('s', entries[7]!)
    const found = await store.getHistory('s')
    expect(await history(store, 's')).toEqual(['m5', 'm6', 'edited', 'm9'])
    const logged = (await allChanges(store, 's')).length
    await store.setHistory('s', found)
    expect((await allChanges(store, 's')).length).toBe(logged)
    await store.setHistory('s', [...found.slice(1, 3), user('new')])
    expect(await history(store, 's')).toEqual(['m6', 'edited', 'new'])
  },

  'L11: setHistory changes the head line and leaves the others': async ({ store }) => {
    const main = await say(store, 's', ['a', 'b', 'c'])
    await store.openBranch('s', { after: main[1]! })
    await store.setHistory('s', [user('a'), user('x')])
    expect(await history(store, 's')).toEqual(['a', 'x'])
    expect(await transcript(store, 's', { branch: '' })).toEqual(['a', 'b', 'c'])
  },

  'L3: setHistory changes nothing when one message is bad': async ({ store }) => {
    await store.setHistory('s', saying('a', 'b'))
    const before = await allChanges(store, 's')
    for (const bad of [
      [user('a'), null],
      [user('x'), { content: 'no role' }],
      'text',
      undefined,
      [{ role: 'user', content: 5 }],
    ]) {
      await refuses(store.setHistory('s', bad as never), 'InvalidInput')
    }
    expect(await allChanges(store, 's')).toEqual(before)
    expect(await history(store, 's')).toEqual(['a', 'b'])
  },
}
