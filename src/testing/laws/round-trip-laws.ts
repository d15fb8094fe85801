import { expect } from 'vitest'
import { entryOf, everything, readAll, say, user } from '../helpers.ts'
import { type Laws, lawsForEach, needs } from '../law.ts'
import { messages } from '../messages.ts'

/** Keys that are words of the language, or hard for a place that makes paths or columns of them. */
const oddKeys = [
  'constructor',
  '__proto__',
  'prototype',
  'toString',
  'hasOwnProperty',
  'length',
  '.',
  '..',
  '/',
  'a/b\\c:d?e#f%g',
  'agent:main:web:direct:u1',
  ' x ',
  'x',
  '\uFEFF',
  '"\'`',
  'line\nbreak\ttab',
  '\u0000',
  '😀',
  '会话',
  'e\u0301',
  '\u00E9',
  'k'.repeat(5_000),
]

export const roundTripLaws: Laws = {
  ...lawsForEach(Object.entries(messages), ([name, message]) => [
    `L4: gives back ${name} as it came`,
    async ({ store }) => {
      const before = structuredClone(message)
      await store.append('s', [entryOf(message)])
      expect((await readAll(store, 's'))[0]?.message).toEqual(before)
      expect(await store.getHistory('s')).toEqual([before])
    },
  ]),

  'L4: gives back all kinds of messages together, in order, by every way in': needs(
    ['oneHistory'],
    async ({ store }) => {
      const all = Object.values(messages)
      await store.append(
        'a',
        all.map((message) => entryOf(message)),
      )
      expect((await readAll(store, 'a')).map(({ message }) => message)).toEqual(all)
      for (const message of all) await store.addFullMessage('b', message)
      expect(await store.getHistory('b')).toEqual(all)
      await store.setHistory('c', all)
      expect(await store.getHistory('c')).toEqual(all)
    },
  ),

  'L4: keeps the content of an edit, a draft and metadata': async ({ store }) => {
    const rich = messages['a UIMessage of the AI SDK']!
    const odd = { constructor: 'c', '': [null, { a: '👩‍👩‍👧' }], n: 1e-7 }
    const [first] = await say(store, 's', ['a'])
    await store.edit('s', first!, rich)
    const draft = await store.openDraft('s', { role: 'assistant' })
    await store.sealDraft('s', draft, messages['Anthropic blocks'])
    await store.checkpoint('s', { label: 'l', metadata: odd, state: odd })
    const meta = await store.updateMeta('s', {
      memo: odd,
      custom: odd,
      title: '題',
      tags: ['a', 'é', '😀'],
      summary: 'line\nline',
    })
    expect(await store.getHistory('s')).toEqual([rich, messages['Anthropic blocks']])
    expect(meta).toMatchObject({ memo: odd, custom: odd, title: '題', tags: ['a', 'é', '😀'], summary: 'line\nline' })
    expect(await store.getMeta('s')).toEqual(meta)
    const [checkpoint] = await store.listCheckpoints('s')
    expect(checkpoint).toMatchObject({ label: 'l', metadata: odd })
    expect((await store.restoreCheckpoint('s', checkpoint!.id)).state).toEqual(odd)
  },

  "L4: accepts keys of any characters and length, and doesn't confuse them": needs(
    ['oneHistory', 'listSessions'],
    async ({ store }) => {
      for (const key of oddKeys) await say(store, key, [`in ${key}`])
      for (const key of oddKeys) {
        expect(await store.getHistory(key)).toEqual([user(`in ${key}`)])
        expect((await store.getMeta(key))?.key).toBe(key)
      }
      const { sessions, total } = await store.listSessions({ limit: 100 })
      expect(total).toBe(oddKeys.length)
      expect(sessions.map(({ key }) => key).sort()).toEqual([...oddKeys].sort())
    },
  ),

  'L4: has everything when it is opened again': needs(['reopen'], async ({ store, reopen }) => {
    await store.append(
      's',
      Object.values(messages).map((message) => entryOf(message, { mid: `mid of ${message.role}` })),
    )
    const [first] = (await store.read('s', { after: '', limit: 1 })).entries
    await store.ensureSessionMetadata('s', { version: 1, agent_id: 'main', channel: 'web', account: 'default' }, [
      'other',
    ])
    await store.updateMeta('s', { title: 'T', archived: true, tags: ['t'], custom: { a: 1 }, ttl: 5 })
    await store.checkpoint('s', { label: 'c' })
    await store.openBranch('s', { after: first!, name: 'side' })
    await say(store, 's', ['on the side'])
    await store.edit('s', first!, user('edited'))
    await store.setCompaction('s', { summary: 'short', keepLast: 1 })
    const before = await everything(store, 's')
    const listed = await store.listSessions()
    await store.close()
    const again = await reopen()
    expect(await everything(again, 's')).toEqual(before)
    expect(await again.listSessions()).toEqual(listed)
    expect(await again.resolveSessionKey('other')).toBe('s')
    expect((await again.findByMid('s', ['mid of tool']))[0]).toBeDefined()
    expect((await say(again, 'other', ['after']))[0]?.branch).toBe((await again.getMeta('s'))?.head)
  }),

  'L4: has its drafts when it is opened again': needs(['reopen', 'abandonedDrafts'], async ({ store, reopen }) => {
    await say(store, 's', ['question'])
    const draft = await store.openDraft('s', { role: 'assistant' })
    await store.writeDraft('s', draft, 0, { text: 'half a', reasoning: 'why' })
    const before = await store.listDrafts('s')
    await store.close()
    expect(await (await reopen()).listDrafts('s')).toEqual(before)
  }),
}
