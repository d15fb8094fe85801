import { expect } from 'vitest'
import type { Message } from '../../contract/message.ts'
import { assistant, history, numbered, readAll, refuses, say, transcript, user } from '../helpers.ts'
import { type Laws, lawsForEach, needs } from '../law.ts'
import { messages } from '../messages.ts'

const scope = {
  version: 1,
  agent_id: 'main',
  channel: 'telegram',
  account: 'default',
  dimensions: ['chat'],
  values: { chat: 'direct:42' },
} as const

const thought: Message = { role: 'assistant', content: ' \n', reasoning_content: 'hm' }

const kept: readonly (readonly [string, Message])[] = [
  ['of another role', { ...thought, role: 'user' }],
  ['with content', { ...thought, content: 'x' }],
  ['with blank reasoning', { ...thought, reasoning_content: ' ' }],
  ['with a tool call', { ...thought, tool_calls: [{ id: 'c' }] }],
  ['with media', { ...thought, media: ['m'] }],
  ['with attachments', { ...thought, attachments: [{ url: 'u' }] }],
  ['that answers a tool call', { ...thought, tool_call_id: 'c' }],
]

export const picoclawLaws: Laws = {
  'L1: addMessage appends a role and a text': async ({ store }) => {
    const receipt = await store.addMessage('s', 'user', 'hello')
    await store.addMessage('s', 'assistant', '')
    expect(await store.getHistory('s')).toEqual([user('hello'), assistant('')])
    expect((await readAll(store, 's'))[0]).toMatchObject(receipt!)
  },

  'L1: addFullMessage appends any message': async ({ store }) => {
    await store.addFullMessage('s', messages['a tool call of PicoClaw']!)
    await store.addFullMessage('s', messages['a message of PicoClaw']!)
    expect(await store.getHistory('s')).toEqual([
      messages['a tool call of PicoClaw'],
      messages['a message of PicoClaw'],
    ])
  },

  'L1: addFullMessage drops transient thoughts': async ({ store }) => {
    expect(await store.addFullMessage('s', thought)).toBeUndefined()
    expect(await store.addFullMessage('s', { ...thought, content: '', tool_calls: [], media: [] })).toBeUndefined()
    expect(await store.getHistory('s')).toEqual([])
  },

  ...lawsForEach(kept, ([name, message]) => [
    `L1: addFullMessage keeps a thought ${name}`,
    async ({ store }) => {
      expect(await store.addFullMessage('s', message)).toBeDefined()
      expect(await store.getHistory('s')).toEqual([message])
    },
  ]),

  'L1: setSummary makes the session and replaces the summary': async ({ store }) => {
    await store.setSummary('s', 'one')
    await store.setSummary('s', 'two')
    expect([await store.getSummary('s'), (await store.getMeta('s'))?.summary]).toEqual(['two', 'two'])
    await store.setSummary('s', '')
    expect(await store.getSummary('s')).toBe('')
  },

  'L10: save reclaims what was truncated': async ({ store }) => {
    await say(store, 's', numbered(6))
    await store.truncateHistory('s', 2)
    expect(await store.save('s')).toBeUndefined()
    expect(await transcript(store, 's', { view: 'raw' })).toEqual(['m4', 'm5'])
  },

  'L6: ensureSessionMetadata makes a session with its scope and aliases': async ({ store }) => {
    expect((await store.ensureSessionMetadata('s', scope, ['x'])).conflicts).toEqual([])
    expect(await store.getSessionScope('s')).toEqual(scope)
    expect(await store.getMeta('s')).toMatchObject({ scope, aliases: ['x'], messageCount: 0 })
  },

  'L6: ensureSessionMetadata replaces the scope, adds aliases, and keeps the rest': async ({ store }) => {
    await say(store, 's', ['a'])
    await store.setSummary('s', 'so far')
    await store.ensureSessionMetadata('s', scope, ['x', 'y'])
    await store.ensureSessionMetadata('s', { ...scope, account: 'other' }, ['y', 'z'])
    expect(await store.getMeta('s')).toMatchObject({
      scope: { ...scope, account: 'other' },
      aliases: ['x', 'y', 'z'],
      summary: 'so far',
      messageCount: 1,
    })
  },

  'L6: ensureSessionMetadata writes nothing when nothing changes': async ({ store }) => {
    await store.ensureSessionMetadata('s', scope, ['x'])
    const { entries } = await store.usage('s')
    await store.ensureSessionMetadata('s', scope, ['x'])
    expect((await store.usage('s')).entries).toBe(entries)
  },

  'L6: ensureSessionMetadata brings nothing into a session that has a history': needs(
    ['oneHistory'],
    async ({ store }) => {
      await say(store, 'old', ['a'])
      await say(store, 'new', ['b'])
      await store.ensureSessionMetadata('new', scope, ['old'])
      expect(await history(store, 'new')).toEqual(['b'])
    },
  ),

  'L14: refuses scopes and aliases that are none': async ({ store }) => {
    for (const bad of [
      5,
      'text',
      {},
      { ...scope, version: 2 },
      { ...scope, agent_id: 5 },
      { ...scope, values: { a: 1 } },
    ]) {
      await refuses(store.ensureSessionMetadata('s', bad as never), 'InvalidInput')
    }
    for (const bad of ['x', [5], [null], {}])
      await refuses(store.ensureSessionMetadata('s', scope, bad as never), 'InvalidInput')
    expect(await store.getMeta('s')).toBeUndefined()
  },

  'L14: refuses texts that are none': async ({ store }) => {
    await refuses(store.addMessage('s', '', 'x'), 'InvalidInput')
    await refuses(store.addMessage('s', 'user', 5 as never), 'InvalidInput')
    await refuses(store.addMessage('s', undefined as never, 'x'), 'InvalidInput')
    await refuses(store.setSummary('s', 5 as never), 'InvalidInput')
    await refuses(store.setSummary('s', undefined as never), 'InvalidInput')
    expect(await store.getMeta('s')).toBeUndefined()
  },
}
