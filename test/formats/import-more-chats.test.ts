import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/contract/json.ts'
import { importFiles } from '../../src/files/import-files.ts'
import { blobOf, lines, linesOf, messagesOf, msAt, openStore } from './support/foreign-exports.ts'

const iso = (n: number): string => new Date(msAt(n)).toISOString()

/** Exports of one conversation `hello`: the file, its session, and its lines. */
interface Export {
  readonly file: Blob
  readonly key: string
  readonly shown: readonly (readonly string[])[]
  readonly title?: string
}

const libre = (id: string, parent: string | null, isCreatedByUser: boolean, text: string, more: JsonObject = {}) => ({
  messageId: id,
  parentMessageId: parent ?? '00000000-0000-0000-0000-000000000000',
  sender: isCreatedByUser ? 'User' : 'GPT',
  isCreatedByUser,
  text,
  createdAt: iso(1),
  ...more,
})

const exports: Readonly<Record<string, Export>> = {
  'LibreChat, flat': {
    file: blobOf({
      conversationId: 'c',
      title: 'Trains',
      options: { key: 'sk-secret' },
      messages: [
        libre('1', null, true, 'Hello'),
        libre('2', '1', false, 'Hi'),
        libre('3', '1', false, 'Hey', { model: 'gpt-5' }),
      ],
    }),
    key: 'librechat:c',
    title: 'Trains',
    shown: [
      ['user: Hello', 'assistant: Hey'],
      ['user: Hello', 'assistant: Hi'],
    ],
  },
  'LibreChat, as a tree': {
    file: blobOf({
      conversationId: 'c',
      recursive: true,
      messagesTree: [
        {
          ...libre('1', null, true, 'Hello'),
          children: [libre('2', '1', false, 'Hi'), { ...libre('3', '1', false, 'Hey'), children: [] }],
        },
      ],
    }),
    key: 'librechat:c',
    shown: [
      ['user: Hello', 'assistant: Hey'],
      ['user: Hello', 'assistant: Hi'],
    ],
  },
  Grok: {
    file: blobOf({
      conversations: [
        {
          conversation: { id: 'c', title: 'Trains', create_time: iso(0), modify_time: iso(5), starred: true },
          responses: [
            {
              response: {
                _id: '1',
                sender: 'human',
                message: 'Hello',
                create_time: { $date: { $numberLong: String(msAt(1)) } },
              },
            },
            { response: { _id: '2', sender: 'ASSISTANT', message: 'Hi', parent_response_id: '1', create_time: null } },
            { response: { _id: '3', sender: 'assistant', message: 'Hey', parent_response_id: '1', model: 'grok-4' } },
          ],
        },
      ],
      projects: [],
    }),
    key: 'grok:c',
    title: 'Trains',
    shown: [
      ['user: Hello', 'assistant: Hey'],
      ['user: Hello', 'assistant: Hi'],
    ],
  },
  'Gemini CLI': {
    file: blobOf({
      sessionId: 'c',
      projectHash: 'abc',
      startTime: iso(0),
      lastUpdated: iso(3),
      messages: [
        { id: '1', timestamp: iso(1), type: 'user', content: 'Hello' },
        { id: '2', timestamp: iso(2), type: 'gemini', content: [{ text: 'Hi' }], model: 'gemini-3-pro' },
      ],
    }),
    key: 'gemini-cli:c',
    shown: [['user: Hello', 'assistant: Hi']],
  },
  'LM Studio': {
    file: blobOf({
      name: 'Trains',
      createdAt: msAt(0),
      systemPrompt: '',
      messages: [
        {
          versions: [{ type: 'singleStep', role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
          currentlySelected: 0,
        },
        {
          versions: ['Hi', 'Hey'].map((text) => ({
            type: 'multiStep',
            role: 'assistant',
            steps: [{ type: 'contentBlock', content: [{ type: 'text', text }] }, { type: 'debugInfoBlock' }],
          })),
          currentlySelected: 1,
        },
      ],
    }),
    key: `lm-studio:${msAt(0)}`,
    title: 'Trains',
    shown: [
      ['user: Hello', 'assistant: Hey'],
      ['user: Hello', 'assistant: Hi'],
    ],
  },
  Jan: {
    file: linesOf([
      {
        id: '1',
        object: 'thread.message',
        thread_id: 'c',
        role: 'user',
        content: [{ type: 'text', text: { value: 'Hello', annotations: [] } }],
        created_at: msAt(1),
      },
      {
        id: '2',
        object: 'thread.message',
        thread_id: 'c',
        role: 'assistant',
        content: [{ type: 'text', text: { value: 'Hi', annotations: [] } }],
        created_at: msAt(2),
      },
    ]),
    key: 'jan:c',
    shown: [['user: Hello', 'assistant: Hi']],
  },
  NextChat: {
    file: blobOf({
      'access-control': { openaiApiKey: 'sk-secret' },
      'chat-next-web-store': {
        sessions: [
          {
            id: 'c',
            topic: 'Trains',
            memoryPrompt: '',
            lastUpdate: msAt(5),
            messages: [
              { id: '1', date: '14.3.2026, 08:01:00', role: 'user', content: 'Hello' },
              {
                id: '2',
                date: '14.3.2026, 08:02:00',
                role: 'assistant',
                content: 'Hi',
                model: 'gpt-5',
                streaming: false,
              },
            ],
          },
        ],
      },
    }),
    key: 'nextchat:c',
    title: 'Trains',
    shown: [['user: Hello', 'assistant: Hi']],
  },
  BetterChatGPT: {
    file: blobOf({
      version: 1,
      folders: { f: { id: 'f', name: 'rail' } },
      chats: [
        {
          id: 'c',
          title: 'Trains',
          folder: 'f',
          config: { model: 'gpt-5' },
          messages: [
            { role: 'user', content: 'Hello' },
            { role: 'assistant', content: 'Hi' },
          ],
        },
      ],
    }),
    key: 'better-chatgpt:c',
    title: 'Trains',
    shown: [['user: Hello', 'assistant: Hi']],
  },
}

describe.each(Object.entries(exports))('an export of %s', (_, { file, key, shown, title }) => {
  it('comes in with its branches, and once', async () => {
    const store = openStore()
    const report = await importFiles(store, file)
    expect(report).toMatchObject({ keys: [key], skippedCount: 0 })
    expect(await lines(store, key)).toEqual(shown)
    if (title !== undefined) expect(await store.getMeta(key)).toMatchObject({ title })
    expect(await importFiles(store, file)).toMatchObject({ added: 0 })
    expect(await lines(store, key)).toEqual(shown)
  })

  it('brings no secrets along', async () => {
    const store = openStore()
    await importFiles(store, file)
    expect(JSON.stringify([await store.getMeta(key), await store.read(key)])).not.toContain('sk-secret')
  })
})

it('reads a prompt of AI Studio, with its thoughts before the answer', async () => {
  const store = openStore()
  const file = blobOf({
    runSettings: { model: 'models/gemini-3-pro' },
    systemInstruction: { parts: [{ text: 'Be kind.' }] },
    chunkedPrompt: {
      chunks: [
        { role: 'user', driveImage: { id: 'drive-1' } },
        { role: 'user', text: 'Hello' },
        { role: 'model', text: 'It greets.', isThought: true },
        { role: 'model', text: 'Hi', finishReason: 'STOP' },
      ],
    },
  })
  const { keys } = await importFiles(store, file)
  expect(keys).toHaveLength(1)
  expect(await messagesOf(store, keys[0]!)).toMatchObject([
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: '', attachments: [{ type: 'driveImage', id: 'drive-1' }] },
    { role: 'user', content: 'Hello' },
    {
      role: 'assistant',
      model: 'models/gemini-3-pro',
      content: [
        { type: 'thinking', thinking: 'It greets.' },
        { type: 'text', text: 'Hi' },
      ],
    },
  ])
  expect(await importFiles(store, file)).toMatchObject({ added: 0 })
})

describe('a log of Codex', () => {
  const item = (n: number, payload: JsonObject): JsonObject => ({ timestamp: iso(n), type: 'response_item', payload })
  const text = (role: string, said: string): JsonObject => ({
    type: 'message',
    role,
    content: [{ type: role === 'user' ? 'input_text' : 'output_text', text: said }],
  })
  const log = [
    {
      timestamp: iso(0),
      type: 'session_meta',
      payload: { id: 'c', timestamp: iso(0), cwd: '/src', cli_version: '1.0' },
    },
    item(1, text('user', '<environment_context>\n  <cwd>/src</cwd>\n</environment_context>')),
    item(2, text('user', 'List the files')),
    { timestamp: iso(2), type: 'event_msg', payload: { type: 'user_message', message: 'List the files' } },
    item(3, { type: 'reasoning', summary: [{ type: 'summary_text', text: 'I look.' }], encrypted_content: 'x' }),
    item(4, { type: 'function_call', name: 'shell', arguments: '{"command":["ls"]}', call_id: 'call-1' }),
    item(5, { type: 'function_call_output', call_id: 'call-1', output: '{"output":"a.txt","metadata":{}}' }),
    item(6, text('assistant', 'One file')),
  ]

  it('comes in with thoughts, calls and results, and without what was said to the model in the name of the user', async () => {
    const store = openStore()
    expect(await importFiles(store, linesOf(log))).toMatchObject({ keys: ['codex:c'], skippedCount: 0 })
    expect(await messagesOf(store, 'codex:c')).toEqual([
      { role: 'user', content: 'List the files' },
      { role: 'assistant', content: [{ type: 'thinking', thinking: 'I look.' }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'call-1', name: 'shell', input: { command: ['ls'] } }] },
      { role: 'tool', tool_call_id: 'call-1', content: 'a.txt' },
      { role: 'assistant', content: 'One file' },
    ])
  })

  it('adds what is new when it has grown', async () => {
    const store = openStore()
    await importFiles(store, linesOf(log.slice(0, 3)))
    expect(await importFiles(store, linesOf(log))).toMatchObject({ added: 4 })
    expect(await messagesOf(store, 'codex:c')).toHaveLength(5)
  })
})
