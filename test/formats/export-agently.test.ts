import { expect, it } from 'vitest'
import type { Message } from '../../src/contract/message.ts'
import { exportAgently } from '../../src/dialects/agently/format/export-agently.ts'
import { given, id, openStore, stateOf, take, talk, textOf } from './support/agently-files.ts'

/** A small export as Agently writes it: keys and texts of every kind that it writes in a way of its own. */
const state = {
  id: '0123456789abcdef0123456789abcdef',
  memo: { 名: '小明', last_resize: { type: 'lite', turn: 1, reason: 'force' } },
  full_chat_history: [
    { role: 'user', content: '你好 😀' },
    { role: 'assistant', content: 'yes' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'see: # this' },
        { type: 'image', url: 'http://x/y.png' },
      ],
    },
  ],
  current_chat_history: [
    { role: 'assistant', content: 'yes' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'see: # this' },
        { type: 'image', url: 'http://x/y.png' },
      ],
    },
  ],
  settings: { session: { mode: 'memo', memo: { enabled: true } } },
  turns: 1,
  last_resize_turn: 1,
  memo_cursor: 2,
}
const json =
  '{"id": "0123456789abcdef0123456789abcdef", "memo": {"\\u540d": "\\u5c0f\\u660e", "last_resize": {"type": "lite", "turn": 1, "reason": "force"}}, "full_chat_history": [{"role": "user", "content": "\\u4f60\\u597d \\ud83d\\ude00"}, {"role": "assistant", "content": "yes"}, {"role": "user", "content": [{"type": "text", "text": "see: # this"}, {"type": "image", "url": "http://x/y.png"}]}], ' +
  '"current_chat_history": [{"role": "assistant", "content": "yes"}, {"role": "user", "content": [{"type": "text", "text": "see: # this"}, {"type": "image", "url": "http://x/y.png"}]}], "settings": {"session": {"mode": "memo", "memo": {"enabled": true}}}, "turns": 1, "last_resize_turn": 1, "memo_cursor": 2}'
const yaml = `current_chat_history:
- content: 'yes'
  role: assistant
- content:
  - text: 'see: # this'
    type: text
  - type: image
    url: http://x/y.png
  role: user
full_chat_history:
- content: "\\u4F60\\u597D \\U0001F600"
  role: user
- content: 'yes'
  role: assistant
- content:
  - text: 'see: # this'
    type: text
  - type: image
    url: http://x/y.png
  role: user
id: 0123456789abcdef0123456789abcdef
last_resize_turn: 1
memo:
  last_resize:
    reason: force
    turn: 1
    type: lite
  "\\u540D": "\\u5C0F\\u660E"
memo_cursor: 2
settings:
  session:
    memo:
      enabled: true
    mode: memo
turns: 1
`

it.each([
  ['json', json],
  ['yaml', yaml],
] as const)('an export comes in and goes out again, byte for byte (%s)', async (as, text) => {
  const store = openStore()
  expect(await take(store, text)).toEqual({
    keys: [`agently:${state.id}`],
    added: 3,
    known: 0,
    skipped: [],
    skippedCount: 0,
    leftDeleted: [],
  })
  expect(await textOf(store, state.id, as)).toBe(text)
  expect(await given(store, state.id)).toEqual(state)
})

it('JSON and YAML of one session give the same entries', async () => {
  const store = openStore()
  await take(store, json)
  const { entries } = await store.changes(`agently:${state.id}`)
  expect(await take(store, yaml)).toMatchObject({ added: 0, known: 3 })
  expect((await store.changes(`agently:${state.id}`)).entries).toEqual(entries)
})

it('a session of this app goes out with what it has', async () => {
  const store = openStore()
  for (const message of talk(3)) await store.addFullMessage('a:b', message as unknown as Message)
  const file = await exportAgently(store, 'a:b')
  expect(file.path).toBe('a_b.json')
  expect(file.blob.type).toBe('application/json')
  expect(await given(store, 'a:b')).toEqual({
    id: 'a:b',
    memo: {},
    full_chat_history: talk(3),
    current_chat_history: talk(3),
    settings: {},
    turns: 1,
    last_resize_turn: 0,
    memo_cursor: 0,
  })
  expect((await exportAgently(store, 'a:b', { as: 'yaml' })).path).toBe('a_b.yaml')
})

it('what is said after an import is counted and given', async () => {
  const store = openStore()
  await take(store, stateOf(4, { current_chat_history: talk(4, 2), memo_cursor: 2 }))
  for (const message of talk(8, 4)) await store.addFullMessage(id, message as unknown as Message)
  expect(await given(store)).toMatchObject({
    full_chat_history: talk(8),
    current_chat_history: talk(8, 2),
    turns: 4,
    memo_cursor: 2,
  })
})

it('only the line that is shown goes out', async () => {
  const store = openStore()
  await take(store, stateOf(4))
  const { entries } = await store.read(id)
  await store.openBranch(id, { after: { branch: '', order: entries[1]!.order } })
  await store.addMessage(id, 'user', 'otherwise')
  expect(await given(store)).toMatchObject({
    full_chat_history: [...talk(2), { role: 'user', content: 'otherwise' }],
    turns: 2,
  })
})

it.each(['missing', 'deleted'])('a session that is %s is not exported', async (key) => {
  const store = openStore()
  await store.addMessage('deleted', 'user', 'x')
  await store.delete('deleted')
  await expect(exportAgently(store, key)).rejects.toMatchObject({ name: 'SessionNotFound' })
})

it('anything but JSON and YAML is refused, and a signal ends it', async () => {
  const store = openStore()
  await take(store, stateOf(4))
  await expect(exportAgently(store, id, { as: 'xml' as 'json' })).rejects.toMatchObject({ name: 'InvalidInput' })
  await expect(exportAgently(store, id, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'Aborted' })
})
