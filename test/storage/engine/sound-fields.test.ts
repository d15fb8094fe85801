import { expect, it } from 'vitest'
import { soundFields } from '../../../src/storage/engine/metadata/sound-fields.ts'

const scope = { version: 1, agent_id: 'a', channel: 'c', account: 'd' }

it('keeps what fields must be, and fields nobody knows', () => {
  const fields = {
    title: '',
    summary: 's',
    archived: false,
    tags: ['x'],
    aliases: [],
    memo: {},
    custom: { a: 1 },
    ttl: 0,
    constructor: 5,
    other: null,
    scope: { ...scope, dimensions: null, values: { chat: 'x' } },
  }
  expect(soundFields(fields)).toEqual(fields)
})

it.each<[string, unknown]>([
  ['title', 5],
  ['title', null],
  ['tags', 'x'],
  ['tags', [1]],
  ['aliases', { 0: 'x' }],
  ['memo', []],
  ['custom', 'x'],
  ['archived', 1],
  ['ttl', '1'],
  ['promotedTo', {}],
  ['scope', null],
  ['scope', []],
  ['scope', { ...scope, version: 2 }],
  ['scope', { ...scope, account: 1 }],
  ['scope', { ...scope, dimensions: 'chat' }],
  ['scope', { ...scope, dimensions: [1] }],
  ['scope', { ...scope, values: ['x'] }],
  ['scope', { ...scope, values: { chat: 1 } }],
])('leaves out a %s of %j', (field, value) => {
  expect(soundFields({ [field]: value, agentId: 'a' })).toEqual({ agentId: 'a' })
})
