import { expect, it } from 'vitest'
import type { JsonObject } from '../../src/contract/json.ts'
import { importFiles } from '../../src/files/import-files.ts'
import { blobOf, linesOf, messagesOf, msAt, openStore } from './support/foreign-exports.ts'

const iso = (n: number): string => new Date(msAt(n)).toISOString()
const picture = 'data:image/png;base64,AA=='

/** A conversation in which the user says what this has, and is answered. */
const jan = (content: readonly JsonObject[], more: JsonObject = {}): Blob =>
  linesOf([
    { id: '1', object: 'thread.message', thread_id: 'c', role: 'user', content, created_at: msAt(1), ...more },
    {
      id: '2',
      object: 'thread.message',
      thread_id: 'c',
      role: 'assistant',
      content: [{ type: 'text', text: { value: 'Nice', annotations: [] } }],
      created_at: msAt(2),
    },
  ])
const codex = (...content: readonly JsonObject[]): Blob =>
  linesOf([
    { timestamp: iso(0), type: 'session_meta', payload: { id: 'c', timestamp: iso(0) } },
    { timestamp: iso(1), type: 'response_item', payload: { type: 'message', role: 'user', content } },
    {
      timestamp: iso(2),
      type: 'response_item',
      payload: { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Nice' }] },
    },
  ])
const grok = (more: JsonObject): Blob =>
  blobOf({
    conversations: [
      {
        conversation: { id: 'c', create_time: iso(0) },
        responses: [
          { response: { _id: '1', sender: 'human', message: '', create_time: iso(1), ...more } },
          { response: { _id: '2', sender: 'assistant', message: 'Nice', parent_response_id: '1' } },
        ],
      },
    ],
  })
const geminiCli = (content: unknown): Blob =>
  blobOf({
    sessionId: 'c',
    messages: [
      { id: '1', timestamp: iso(1), type: 'user', content },
      { id: '2', timestamp: iso(2), type: 'gemini', content: 'Nice' },
    ],
  })
const lmStudio = (content: readonly JsonObject[]): Blob =>
  blobOf({
    createdAt: msAt(0),
    messages: [
      { versions: [{ type: 'singleStep', role: 'user', content }], currentlySelected: 0 },
      {
        versions: [
          {
            type: 'multiStep',
            role: 'assistant',
            steps: [{ type: 'contentBlock', content: [{ type: 'text', text: 'Nice' }] }],
          },
        ],
        currentlySelected: 0,
      },
    ],
  })
const libreChat = (more: JsonObject): Blob =>
  blobOf({
    conversationId: 'c',
    messages: [
      { messageId: '1', parentMessageId: null, isCreatedByUser: true, text: '', createdAt: iso(1), ...more },
      { messageId: '2', parentMessageId: '1', isCreatedByUser: false, text: 'Nice', createdAt: iso(2) },
    ],
  })

it.each<[string, Blob, JsonObject]>([
  [
    'Jan',
    jan([{ type: 'image_url', image_url: { url: picture, detail: 'auto' } }]),
    { type: 'image', url: picture, mimeType: 'image/png' },
  ],
  ['Jan, by id', jan([], { attachments: [{ file_id: 'f', tools: [] }] }), { type: 'file', id: 'f' }],
  ['Codex', codex({ type: 'input_image', image_url: picture }), { type: 'image', url: picture, mimeType: 'image/png' }],
  [
    'Codex, a file',
    codex({ type: 'input_file', filename: 'a.pdf', file_id: 'f' }),
    { type: 'file', name: 'a.pdf', id: 'f' },
  ],
  ['Grok', grok({ image_attachments: ['f'] }), { type: 'image', id: 'f' }],
  [
    'Grok, a file',
    grok({ file_attachments: [{ file_metadata_id: 'f', file_name: 'a.pdf', file_mime_type: 'application/pdf' }] }),
    { type: 'file', name: 'a.pdf', id: 'f', mimeType: 'application/pdf' },
  ],
  ['Grok, a path', grok({ generated_image_urls: ['users/me/generated/x/a.jpg'] }), { type: 'image', name: 'a.jpg' }],
  [
    'Gemini CLI',
    geminiCli([{ inlineData: { mimeType: 'image/png', data: 'AA==' } }]),
    { type: 'image', url: picture, mimeType: 'image/png' },
  ],
  [
    'Gemini CLI, an address',
    geminiCli({ fileData: { mimeType: 'application/pdf', fileUri: 'https://example.org/a.pdf' } }),
    { type: 'file', url: 'https://example.org/a.pdf', mimeType: 'application/pdf' },
  ],
  [
    'LM Studio',
    lmStudio([{ type: 'file', name: 'a.png', identifier: '1 - 2.png', fileType: 'image', sizeBytes: 5 }]),
    { type: 'image', name: 'a.png', id: '1 - 2.png' },
  ],
  [
    'LibreChat',
    libreChat({
      files: [{ file_id: 'f', filename: 'a.png', filepath: '/images/me/f__a.png', type: 'image/png', user: 'me' }],
    }),
    { type: 'image', name: 'a.png', id: 'f', mimeType: 'image/png' },
  ],
  [
    'LibreChat, a part',
    libreChat({ content: [{ type: 'image_file', image_file: { file_id: 'f', filename: 'a.png' } }] }),
    { type: 'image', name: 'a.png', id: 'f' },
  ],
])('a message of %s that has only a picture or a file keeps it', async (_, file, attachment) => {
  const store = openStore()
  const { keys, skipped } = await importFiles(store, file)
  expect(skipped).toEqual([])
  expect(await messagesOf(store, keys[0]!)).toEqual([
    { role: 'user', content: '', attachments: [attachment] },
    { role: 'assistant', content: 'Nice' },
  ])
  expect(await importFiles(store, file)).toMatchObject({ added: 0 })
})

const text = { type: 'text', text: 'See' }

it.each<[string, Blob]>([
  [
    'Jan',
    jan([
      { type: 'text', text: { value: 'See', annotations: [] } },
      { type: 'image_url', image_url: { url: picture } },
    ]),
  ],
  ['Codex', codex({ type: 'input_text', text: 'See' }, { type: 'input_image', image_url: picture })],
  ['Grok', grok({ message: 'See', image_attachments: ['f'] })],
  ['Gemini CLI', geminiCli([{ text: 'See' }, { inlineData: { mimeType: 'image/png', data: 'AA==' } }])],
  ['LM Studio', lmStudio([text, { type: 'file', name: 'a.png', fileType: 'image' }])],
  ['LibreChat', libreChat({ text: 'See', files: [{ file_id: 'f', filename: 'a.png' }] })],
])('a text of %s keeps the picture beside it', async (_, file) => {
  const store = openStore()
  const { keys } = await importFiles(store, file)
  const [first] = await messagesOf(store, keys[0]!)
  expect(first).toMatchObject({ content: 'See' })
  expect(first!['attachments']).toHaveLength(1)
})

it.each<[string, Blob, number, string]>([
  ['Jan', jan([{ type: 'hologram' }]), 1, 'entry "1"'],
  ['Codex', codex({ type: 'input_hologram' }), 2, 'entry "'],
  ['Grok', grok({ file_attachments: [{}] }), 0, 'entry "1"'],
  ['Gemini CLI', geminiCli([{ functionResponse: {} }]), 0, 'entry "1"'],
  ['LM Studio', lmStudio([{ type: 'toolCallRequest', name: 'find' }]), 0, 'entry "'],
  ['LibreChat', libreChat({ content: [{ type: 'hologram' }] }), 0, 'entry "1"'],
])('a part of %s that can not be kept is reported with its place', async (_, file, line, place) => {
  const store = openStore()
  const { keys, skipped } = await importFiles(store, file)
  expect(skipped).toMatchObject([{ line }])
  expect(skipped[0]!.reason).toContain(place)
  expect(skipped[0]!.reason).toContain('a part of it could not be read as a text or as a file')
  expect(await messagesOf(store, keys[0]!)).toEqual([{ role: 'assistant', content: 'Nice' }])
})

it('a call in a message of Jan is a call here', async () => {
  const store = openStore()
  const call = { type: 'tool_call', tool_call_id: 'c', tool_name: 'find', input: { q: 'x' }, output: 'found' }
  const { keys } = await importFiles(store, jan([call], { role: 'assistant' }))
  expect((await messagesOf(store, keys[0]!))[0]).toEqual({
    role: 'assistant',
    content: [
      { type: 'tool_use', id: 'c', name: 'find', input: { q: 'x' } },
      { type: 'tool_result', tool_use_id: 'c', content: 'found' },
    ],
  })
})

it('what the user of LibreChat is called there does not come along', async () => {
  const store = openStore()
  const file = { filepath: '/images/user-7/f.png', user: 'user-7', type: 'image/png' }
  const { keys } = await importFiles(store, libreChat({ files: [file] }))
  expect(await messagesOf(store, keys[0]!)).toMatchObject([{ attachments: [{ name: 'f.png' }] }, {}])
  expect(JSON.stringify(await store.read(keys[0]!))).not.toContain('user-7')
})
