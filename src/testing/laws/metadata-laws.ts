import { expect } from 'vitest'
import type { MetaPatch } from '../../contract/meta.ts'
import { assistant, entryOf, refuses, say, user } from '../helpers.ts'
import { type Laws, needs } from '../law.ts'

export const metadataLaws: Laws = {
  'L1: has all metadata of a session that has just begun': needs(['oneHistory'], async ({ store }) => {
    await store.append('s', [entryOf(user('Hello there'), { at: 1_000 }), entryOf(assistant('Hi'), { at: 2_000 })])
    expect(await store.getMeta('s')).toEqual({
      key: 's',
      id: 's',
      title: 'Hello there',
      titleSource: 'auto',
      aliases: [],
      summary: '',
      memo: {},
      custom: {},
      contextState: {},
      archived: false,
      tags: [],
      createdAt: 1_000,
      updatedAt: 2_000,
      messageCount: 2,
      tokenEstimate: 4,
      head: '',
      branches: [{ id: '', isHead: true, createdAt: 0, newerThanHead: 0 }],
    })
  }),

  "L1: makes a title from the user's first message": async ({ store }) => {
    await store.append('s', [entryOf({ role: 'system', content: 'Be kind' }), entryOf(assistant('Welcome'))])
    expect(await store.getMeta('s')).toMatchObject({ title: '', titleSource: 'none' })
    await say(store, 's', ['  What   is\nthe weather in Zürich going to be?  '])
    await say(store, 's', ['Something else'])
    expect(await store.getMeta('s')).toMatchObject({ title: 'What is the weather in Zürich…', titleSource: 'auto' })
  },

  'L1: keeps a title somebody chose until it is taken back': async ({ store }) => {
    await say(store, 's', ['Hello'])
    expect(await store.updateMeta('s', { title: 'Mine' })).toMatchObject({ title: 'Mine', titleSource: 'user' })
    await say(store, 's', ['more'])
    expect(await store.getMeta('s')).toMatchObject({ title: 'Mine', titleSource: 'user' })
    expect(await store.updateMeta('s', { title: null })).toMatchObject({ title: 'Hello', titleSource: 'auto' })
  },

  'L1: shows a suggested title until somebody chooses one': needs(['oneHistory'], async ({ store }) => {
    await say(store, 's', ['Hello'])
    expect(await store.updateMeta('s', { suggestedTitle: 'A greeting' })).toMatchObject({
      title: 'A greeting',
      titleSource: 'auto',
    })
    expect((await store.listSessions()).sessions[0]).toMatchObject({ title: 'A greeting' })
    expect(await store.updateMeta('s', { title: 'Mine' })).toMatchObject({ title: 'Mine', titleSource: 'user' })
    expect(await store.updateMeta('s', { suggestedTitle: 'Another' })).toMatchObject({
      title: 'Mine',
      titleSource: 'user',
    })
    expect(await store.updateMeta('s', { title: null })).toMatchObject({ title: 'Another', titleSource: 'auto' })
    expect(await store.updateMeta('s', { suggestedTitle: null })).toMatchObject({ title: 'Hello', titleSource: 'auto' })
  }),

  'L1: changes the fields that are named, and no others': async ({ store }) => {
    await say(store, 's', ['Hello'])
    const first: MetaPatch = {
      title: 'T',
      summary: 'S',
      memo: { a: 1 },
      custom: { b: 2 },
      contextState: { d: 4 },
      archived: true,
      tags: ['x'],
      agentId: 'A',
      userId: 'U',
      id: 'source-1',
      ttl: 60_000,
    }
    expect(await store.updateMeta('s', first)).toMatchObject({ ...first, titleSource: 'user', messageCount: 1 })
    const meta = await store.updateMeta('s', { custom: { c: 3 }, archived: false })
    expect(meta).toMatchObject({ ...first, custom: { c: 3 }, archived: false })
    expect(await store.getMeta('s')).toEqual(meta)
  },

  'L9: refuses a patch of fields that have changed since': async ({ store }) => {
    await store.updateMeta('s', { contextState: { n: 1 }, custom: { a: 1 } })
    await store.updateMeta('s', { contextState: { n: 2 } }, { previous: { contextState: { n: 1 }, memo: {} } })
    await refuses(
      store.updateMeta('s', { contextState: { n: 3 } }, { previous: { contextState: { n: 1 } } }),
      'ParentMoved',
    )
    await refuses(
      store.updateMeta('s', { contextState: { n: 3 } }, { previous: { contextState: { n: 2 }, custom: {} } }),
      'ParentMoved',
    )
    await refuses(
      store.updateMeta('s', { contextState: { n: 3 } }, { previous: { title: 'x' } as never }),
      'InvalidInput',
    )
    expect(await store.getMeta('s')).toMatchObject({ contextState: { n: 2 }, custom: { a: 1 } })
  },

  'L1: unsets a field by null': async ({ store }) => {
    const scope = { version: 1, agent_id: 'a', channel: 'c', account: 'd' } as const
    await store.updateMeta('s', {
      title: 'T',
      summary: 'S',
      memo: { a: 1 },
      custom: { b: 2 },
      tags: ['x'],
      agentId: 'A',
      userId: 'U',
      scope,
      ttl: 5,
    })
    const meta = await store.updateMeta('s', {
      title: null,
      summary: null,
      memo: null,
      custom: null,
      tags: null,
      agentId: null,
      userId: null,
      scope: null,
      ttl: null,
    })
    expect(meta).toMatchObject({ title: '', titleSource: 'none', summary: '', memo: {}, custom: {}, tags: [] })
    expect([meta.agentId, meta.userId, meta.scope, meta.ttl]).toEqual([undefined, undefined, undefined, undefined])
  },

  'L1: keeps a field that was set again to what it was before': async ({ store }) => {
    for (const title of ['one', 'two', 'one']) await store.updateMeta('s', { title })
    expect((await store.getMeta('s'))?.title).toBe('one')
  },

  'L1: estimates tokens by the bytes of each content': async ({ store }) => {
    await store.append('s', [
      entryOf(user('a'.repeat(30))),
      entryOf(user('你好')),
      entryOf({ role: 'assistant', content: [{ type: 'text', text: 'hello' }] }),
    ])
    expect((await store.getMeta('s'))?.tokenEstimate).toBe(8 + 2 + 8)
  },

  'L3: changes no metadata when the patch is refused': async ({ store }) => {
    await say(store, 's', ['Hello'])
    const before = await store.getMeta('s')
    const bad: readonly object[] = [
      { title: 5 },
      { title: 'x'.repeat(1_025) },
      { colour: 'red' },
      { tags: 'x' },
      { tags: [1] },
      { tags: Array(65).fill('x') },
      { archived: 'yes' },
      { ttl: -1 },
      { ttl: 1.5 },
      { aliases: [''] },
      { scope: { version: 2 } },
      { memo: 'text' },
      { contextState: 1 },
      { suggestedTitle: 'x'.repeat(1_025) },
      { custom: [1] },
      { summary: {} },
      { custom: { n: Number.NaN } },
      { title: 'good', userId: 5 },
    ]
    for (const patch of bad) await refuses(store.updateMeta('s', patch as MetaPatch), 'InvalidInput')
    for (const patch of [undefined, null, 'text', []])
      await refuses(store.updateMeta('s', patch as never), 'InvalidInput')
    expect(await store.getMeta('s')).toEqual(before)
  },
}
