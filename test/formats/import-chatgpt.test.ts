import { zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { importFiles } from '../../src/files/import-files.ts'
import {
  blobOf,
  chatGpt,
  chatSays,
  everything,
  forked,
  lines,
  messagesOf,
  msAt,
  openStore,
  said,
  uuid,
} from './support/foreign-exports.ts'

const key = `chatgpt:${uuid(1)}`

describe('an export of ChatGPT', () => {
  it('comes in as sessions with their branches, and the current node at the end of the head, wherever it stands in the file', async () => {
    const store = openStore()
    const report = await importFiles(
      store,
      blobOf([forked(uuid(1), { current_node: 'a2' }), chatGpt(uuid(2), [['x', null, chatSays(1, 'user', 'Hi')]])]),
    )
    expect(report).toMatchObject({ keys: [key, `chatgpt:${uuid(2)}`], added: 7, known: 0, skippedCount: 0 })
    expect(report.sessions[0]).toEqual({
      key,
      dialect: 'chatgpt',
      title: `Conversation ${uuid(1)}`,
      added: 6,
      known: 0,
    })
    expect(await lines(store, key)).toEqual([
      ['user: What is a fold?', 'assistant: A reduction.', 'user: Show one.', 'assistant: sum = xs.reduce(add)'],
      ['user: What is a fold?', 'assistant: A way to consume a list.', 'user: In Haskell?'],
    ])
  })

  it('ends the line where the current node is not the last of it', async () => {
    const store = openStore()
    await importFiles(store, blobOf([forked(uuid(1), { current_node: 'q2' })]))
    expect(await said(store, key)).toEqual(['user: What is a fold?', 'assistant: A reduction.', 'user: Show one.'])
  })

  it('gives title, times, archive, star and model, which what is chosen here outlasts', async () => {
    const store = openStore()
    const file = blobOf([forked(uuid(1), { is_archived: true, is_starred: true })])
    await importFiles(store, file)
    const meta = await store.getMeta(key)
    expect(meta).toMatchObject({
      id: uuid(1),
      title: `Conversation ${uuid(1)}`,
      titleSource: 'auto',
      archived: true,
      tags: ['starred'],
      aliases: [uuid(1)],
      createdAt: msAt(0),
      updatedAt: msAt(50),
      custom: { chatgpt: { model: 'gpt-5' } },
    })
    expect(await store.resolveSessionKey(uuid(1))).toBe(key)
    await store.updateMeta(key, { title: 'Mine', archived: false })
    await importFiles(
      store,
      blobOf([forked(uuid(1), { is_archived: true, title: 'Renamed there', update_time: msAt(55) / 1000 })]),
    )
    expect(await store.getMeta(key)).toMatchObject({ title: 'Mine', archived: false })
    expect(await store.updateMeta(key, { title: null })).toMatchObject({ title: 'Renamed there' })
  })

  it('keeps two conversations apart that share a message', async () => {
    const store = openStore()
    const shared: [string, null, ReturnType<typeof chatSays>] = [uuid(5), null, chatSays(1, 'user', 'The same')]
    await importFiles(
      store,
      blobOf([
        chatGpt('one', [shared, ['b', uuid(5), chatSays(2, 'assistant', 'Here')]]),
        chatGpt('two', [shared, ['b', uuid(5), chatSays(2, 'assistant', 'There')]]),
      ]),
    )
    expect(await said(store, 'chatgpt:one')).toEqual(['user: The same', 'assistant: Here'])
    expect(await said(store, 'chatgpt:two')).toEqual(['user: The same', 'assistant: There'])
  })

  it('keeps calls beside their results, thoughts, attachments and what was hidden', async () => {
    const store = openStore()
    const nodes: Parameters<typeof chatGpt>[1] = [
      ['s', null, chatSays(0, 'system', '', { metadata: { is_visually_hidden_from_conversation: true } })],
      [
        'ctx',
        's',
        chatSays(0, 'user', '', {
          content: {
            content_type: 'user_editable_context',
            user_profile: 'I am Mara.',
            user_instructions: 'Be short.',
          },
          metadata: { is_visually_hidden_from_conversation: true },
        }),
      ],
      [
        'q',
        'ctx',
        chatSays(1, 'user', '', {
          content: {
            content_type: 'multimodal_text',
            parts: [
              { content_type: 'image_asset_pointer', asset_pointer: 'sediment://file_1', width: 2 },
              'What is it?',
            ],
          },
          metadata: { attachments: [{ id: 'file_1', name: 'cat.png', mime_type: 'image/png', size: 9 }] },
        }),
      ],
      [
        't',
        'q',
        chatSays(2, 'assistant', '', {
          content: { content_type: 'thoughts', thoughts: [{ summary: 'Look', content: 'It has ears.' }] },
        }),
      ],
      [
        'c',
        't',
        chatSays(3, 'assistant', '', {
          content: { content_type: 'code', language: 'python', text: 'look()' },
          recipient: 'python',
        }),
      ],
      [
        'r',
        'c',
        chatSays(4, 'tool', '', {
          author: { role: 'tool', name: 'python', metadata: {} },
          content: { content_type: 'execution_output', text: 'cat' },
        }),
      ],
      [
        'a',
        'r',
        chatSays(5, 'assistant', 'A cat.', {
          status: 'in_progress',
          metadata: { model_slug: 'gpt-5', citations: [{ url: 'https://a.example' }] },
        }),
      ],
    ]
    expect(await importFiles(store, blobOf([chatGpt(uuid(1), nodes)]))).toMatchObject({ added: 6, skippedCount: 0 })
    expect(await messagesOf(store, key)).toEqual([
      { role: 'system', content: 'I am Mara.\nBe short.', metadata: { hidden: true, messageId: uuid(900) } },
      {
        role: 'user',
        content: [
          { type: 'image_asset_pointer', asset_pointer: 'sediment://file_1', width: 2 },
          { type: 'text', text: 'What is it?' },
        ],
        attachments: [{ name: 'cat.png', mimeType: 'image/png', size: 9, id: 'file_1' }],
        metadata: { messageId: uuid(901) },
      },
      {
        role: 'assistant',
        content: [{ type: 'thinking', thinking: 'Look\nIt has ears.' }],
        model: 'gpt-5',
        metadata: { messageId: uuid(902) },
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'python', arguments: '{"input":"look()"}' } }],
        model: 'gpt-5',
        metadata: { messageId: uuid(903) },
      },
      { role: 'tool', content: 'cat', name: 'python', tool_call_id: 'c', metadata: { messageId: uuid(904) } },
      {
        role: 'assistant',
        content: 'A cat.',
        model: 'gpt-5',
        metadata: { messageId: uuid(905), status: 'in_progress', citations: [{ url: 'https://a.example' }] },
      },
    ])
    expect((await store.getMeta(key))?.title).toBe(`Conversation ${uuid(1)}`)
  })

  it('takes times as seconds, as text and not at all', async () => {
    const store = openStore()
    await importFiles(
      store,
      blobOf([
        chatGpt(uuid(1), [
          ['a', null, chatSays(1, 'user', 'one', { create_time: '1741939260.5' })],
          ['b', 'a', chatSays(2, 'assistant', 'two', { create_time: null })],
        ]),
      ]),
    )
    expect((await store.read(key)).entries.map(({ at }) => at)).toEqual([1741939260500, 0])
  })

  it('comes out of its zip, whatever that is called', async () => {
    const store = openStore()
    const zip = zipSync({
      'conversations.json': new TextEncoder().encode(JSON.stringify([forked()])),
      'user.json': new TextEncoder().encode('{"id":"user-1","email":"mara@example.org"}'),
      'chat.html': new TextEncoder().encode('<html></html>'),
      'file-1.png': Uint8Array.of(0x89, 0x50, 0, 0, 0),
    })
    const report = await importFiles(store, [{ path: 'download', blob: new Blob([zip as Uint8Array<ArrayBuffer>]) }])
    expect(report).toMatchObject({ keys: [key], added: 6, skippedCount: 1 })
    expect(report.skipped[0]).toMatchObject({ file: 'download/user.json', line: 0 })
    expect(report.sessions[0]?.file).toBe('download/conversations.json')
    expect(JSON.stringify(await everything(store))).not.toContain('mara@example.org')
  })

  it('leaves out an entry that is damaged, and says where it is', async () => {
    const store = openStore()
    const report = await importFiles(
      store,
      blobOf([
        { title: 'Corrupted entry', id: 'x' },
        forked(),
        chatGpt('', [['a', null, chatSays(1, 'user', 'lost')]]),
      ]),
    )
    expect(report).toMatchObject({ keys: [key], added: 6, skippedCount: 2 })
    expect(report.skipped.map(({ reason }) => reason)).toEqual([
      'item 1 (byte 1): it is not a conversation: an object with title, id',
      expect.stringMatching(/^item 3 \(byte \d+\): it has no id$/),
    ])
  })
})
