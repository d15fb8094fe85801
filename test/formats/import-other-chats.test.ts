import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/contract/json.ts'
import { importFiles } from '../../src/files/import-files.ts'
import { blobOf, lines, linesOf, messagesOf, msAt, openStore, said, uuid } from './support/foreign-exports.ts'

describe('an export of Open WebUI', () => {
  const key = `open-webui:${uuid(1)}`
  const says = (
    n: number,
    parent: number | null,
    role: string,
    content: string,
    more: JsonObject = {},
  ): JsonObject => ({
    id: uuid(n),
    parentId: parent === null ? null : uuid(parent),
    childrenIds: [],
    role,
    content,
    timestamp: msAt(n) / 1000,
    ...more,
  })
  const chat = (messages: readonly JsonObject[], more: JsonObject = {}): JsonObject => ({
    id: uuid(1),
    user_id: uuid(88),
    title: 'Trains',
    archived: true,
    pinned: true,
    meta: { tags: ['rail'] },
    folder_id: null,
    created_at: msAt(0) / 1000,
    updated_at: msAt(30) / 1000,
    chat: {
      title: 'Trains',
      models: ['llama'],
      params: { api_key: 'sk-secret' },
      history: {
        currentId: uuid(2),
        messages: Object.fromEntries(messages.map((message) => [message['id'], message])),
      },
    },
    ...more,
  })
  const tree = [
    says(1, null, 'user', 'Hello'),
    says(2, 1, 'assistant', 'Hi', { model: 'llama' }),
    says(3, 1, 'assistant', 'Hey'),
  ]

  it.each([
    ['a list', [chat(tree)]],
    ['one chat', chat(tree)],
  ])('comes in with its branches, and without its settings (%s)', async (_, file) => {
    const store = openStore()
    expect(await importFiles(store, blobOf(file))).toMatchObject({ keys: [key], added: 3, skippedCount: 0 })
    expect(await lines(store, key)).toEqual([
      ['user: Hello', 'assistant: Hi'],
      ['user: Hello', 'assistant: Hey'],
    ])
    const meta = await store.getMeta(key)
    expect(meta).toMatchObject({
      title: 'Trains',
      archived: true,
      tags: ['pinned', 'rail'],
      createdAt: msAt(0),
      updatedAt: msAt(30),
      custom: { 'open-webui': { models: ['llama'] } },
    })
    expect(JSON.stringify(meta)).not.toMatch(/sk-secret|000000000088/)
  })

  it('has reasoning and calls as parts, out of `output` or out of the text', async () => {
    const store = openStore()
    const details =
      '<details type="reasoning" done="true" duration="2">\n<summary>Thought</summary>\n&gt; Is it\n> late?\n</details>\n<details type="tool_calls" done="true" id="call_1" name="clock" arguments="&quot;{\\&quot;zone\\&quot;:\\&quot;UTC\\&quot;}&quot;" result="&quot;8:00&quot;">\n<summary>Tool</summary>\n</details>\nIt is <details>eight</details>.'
    const output = [
      { type: 'reasoning', content: [{ type: 'output_text', text: 'Late?' }] },
      { type: 'function_call', call_id: 'call_2', name: 'clock', arguments: '{}' },
      { type: 'function_call_output', call_id: 'call_2', output: [{ type: 'input_text', text: '9:00' }] },
      { type: 'message', content: [{ type: 'output_text', text: 'Nine.' }] },
    ]
    await importFiles(
      store,
      blobOf([
        chat(
          [
            says(1, null, 'user', 'Time?', {
              files: [{ type: 'file', id: 'f', name: 'a.pdf', file: { user_id: uuid(88) } }],
            }),
            says(2, 1, 'assistant', details),
            says(3, 2, 'assistant', 'ignored', { output }),
          ],
          {},
        ),
      ]),
    )
    const tail = await store.read(key, {
      view: 'raw',
      limit: 100,
      after: '',
      branch: (await store.listBranches(key)).find(({ id }) => id === '')!.id,
    })
    expect(tail.entries.map(({ message }) => message)).toEqual([
      { role: 'user', content: 'Time?', attachments: [{ name: 'a.pdf', id: 'f', type: 'file' }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: '> Is it\nlate?' },
          { type: 'tool_use', id: 'call_1', name: 'clock', input: { zone: 'UTC' } },
          { type: 'tool_result', tool_use_id: 'call_1', content: '8:00' },
          { type: 'text', text: 'It is <details>eight</details>.' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Late?' },
          { type: 'tool_use', id: 'call_2', name: 'clock', input: {} },
          { type: 'tool_result', tool_use_id: 'call_2', content: '9:00' },
          { type: 'text', text: 'Nine.' },
        ],
      },
    ])
  })

  it('takes no longer than its text for tags that never end', async () => {
    const text = `<details type="reasoning">x</details>${'<details type="reasoning">'.repeat(20_000)}${'\n'.repeat(200_000)}`
    const store = openStore()
    await importFiles(store, blobOf([chat([says(1, null, 'user', text)])]))
    expect((await messagesOf(store, key))[0]).toMatchObject({
      content: [{ type: 'thinking', thinking: 'x' }, { type: 'text' }],
    })
  })
})

describe('conversations in the form of ShareGPT', () => {
  const one = (id: string | undefined, ...turns: readonly (readonly [string, string])[]): JsonObject => ({
    ...(id === undefined ? {} : { id }),
    conversations: turns.map(([from, value]) => ({ from, value })),
  })

  it.each([
    ['json', blobOf],
    ['jsonl', linesOf],
  ] as const)('come in from %s, calls beside what was observed', async (_, write) => {
    const store = openStore()
    const file = [
      one(
        'a',
        ['system', 'Be short.'],
        ['human', 'Time?'],
        ['function_call', '{"name":"clock","arguments":{"zone":"UTC"}}'],
        ['observation', '8:00'],
        ['gpt', 'Eight.'],
      ),
      one('b', ['human', 'Hi']),
    ]
    expect(await importFiles(store, write(file))).toMatchObject({ keys: ['sharegpt:a', 'sharegpt:b'], added: 6 })
    expect(await messagesOf(store, 'sharegpt:a')).toEqual([
      { role: 'system', content: 'Be short.' },
      { role: 'user', content: 'Time?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'call-2', type: 'function', function: { name: 'clock', arguments: '{"zone":"UTC"}' } }],
      },
      { role: 'tool', content: '8:00', tool_call_id: 'call-2' },
      { role: 'assistant', content: 'Eight.' },
    ])
  })

  it('are known by their openings when they have no ids, so that one that grew is the same', async () => {
    const store = openStore()
    const first = [
      one(undefined, ['human', 'Hi'], ['gpt', 'Hello']),
      one(undefined, ['human', 'Hi'], ['gpt', 'Good day']),
    ]
    const { keys } = await importFiles(store, blobOf(first))
    expect(keys).toHaveLength(2)
    const grown = [one(undefined, ['human', 'Hi'], ['gpt', 'Hello'], ['human', 'More'], ['gpt', 'More']), first[1]!]
    expect(await importFiles(store, blobOf(grown))).toMatchObject({ keys, added: 2, known: 4 })
    expect(await said(store, keys[0]!)).toEqual(['user: Hi', 'assistant: Hello', 'user: More', 'assistant: More'])
  })
})

describe('messages in the form of OpenAI', () => {
  const messages = [
    { role: 'system', content: 'Be short.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Time?' },
        { type: 'image_url', image_url: { url: 'data:,' } },
      ],
    },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'clock', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c', content: '8:00' },
    { role: 'assistant', content: 'Eight.' },
  ]

  it.each([
    ['a list', blobOf(messages), 1],
    ['an object', blobOf({ messages }), 1],
    ['lines of conversations', linesOf([{ messages }, { messages: messages.slice(0, 2) }]), 2],
    ['a list of conversations', blobOf([{ messages }, { messages }]), 2],
    ['lines of messages', linesOf(messages), 1],
    ['one line', linesOf([{ messages }]), 1],
  ])('come in untouched from %s', async (_, file, count) => {
    const store = openStore()
    const { keys, skippedCount } = await importFiles(store, file)
    expect([keys.length, skippedCount]).toEqual([count, 0])
    expect(await messagesOf(store, keys[0]!)).toEqual(messages)
    expect(keys[0]).toMatch(/^openai:[0-9a-z]+$/)
  })

  it('fork where a later file says something else', async () => {
    const store = openStore()
    const { keys } = await importFiles(store, blobOf(messages))
    expect(
      await importFiles(store, blobOf([...messages.slice(0, 4), { role: 'assistant', content: 'Late.' }])),
    ).toMatchObject({ keys, added: 1, known: 4 })
    expect((await lines(store, keys[0]!)).map((line) => line.at(-1))).toEqual(['assistant: Late.', 'assistant: Eight.'])
  })
})

it('lines without uuid are known by what they say, whatever file of their session they come in', async () => {
  const store = openStore()
  const line = (text: string) =>
    JSON.stringify({
      type: 'user',
      sessionId: 's',
      timestamp: '2026-01-01T00:00:00Z',
      message: { role: 'user', content: text },
    })
  expect(await importFiles(store, new Blob([[line('one'), line('one')].join('\n')]))).toMatchObject({ added: 2 })
  expect(await importFiles(store, new Blob([[line('two'), line('one')].join('\n')]))).toMatchObject({
    added: 1,
    known: 1,
  })
})

it('lists without an id that begin alike and go on differently are conversations of their own', async () => {
  const store = openStore()
  const list = (reply: string) => ({
    path: `${reply}.json`,
    blob: new Blob([
      JSON.stringify([
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: reply },
      ]),
    ]),
  })
  expect((await importFiles(store, [list('About cats'), list('About tax')])).keys).toHaveLength(2)
})

it('tags that are never closed are text, however many', async () => {
  const store = openStore()
  const content = '<details type="reasoning"'.repeat(100_000)
  const chat = {
    id: 'c',
    title: 'T',
    chat: { history: { currentId: 'm', messages: { m: { id: 'm', parentId: null, role: 'assistant', content } } } },
  }
  const { keys } = await importFiles(store, new Blob([JSON.stringify([chat])]))
  expect(JSON.stringify(await store.getHistory(keys[0]!))).toContain(JSON.stringify(content).slice(1, -1))
})
