import { describe, expect, it } from 'vitest'
import { loadChat } from '../../src/adapters/ai-sdk/load-chat.ts'
import { importFiles } from '../../src/files/import-files.ts'
import { openDirectStore } from '../../src/in-page/open-direct-store.ts'
import { blobOf, linesOf, messagesOf, msAt, openStore } from './support/foreign-exports.ts'

const chat = [
  { id: 's', role: 'system', parts: [{ type: 'text', text: 'Be short.' }] },
  { id: 'u', role: 'user', parts: [{ type: 'text', text: 'What time is it?' }], metadata: { createdAt: msAt(1) } },
  {
    id: 'a',
    role: 'assistant',
    parts: [
      { type: 'step-start' },
      { type: 'reasoning', text: 'A clock knows.', state: 'done' },
      { type: 'tool-clock', toolCallId: 'c', state: 'output-available', input: {}, output: { time: '8:00' } },
      { type: 'step-start' },
      { type: 'text', text: 'Eight.', state: 'done' },
    ],
  },
]

/** As the AI SDK 4 had them, with their text in `content`, too. */
const older = chat.map((message) => ({ ...message, content: 'the same text', createdAt: new Date(msAt(1)) }))

describe('messages of an AI SDK chat', () => {
  it.each<[string, Blob, unknown, number]>([
    ['a list', blobOf(chat), chat, 1],
    ['a list of the AI SDK 4', blobOf(older), JSON.parse(JSON.stringify(older)), 1],
    ['lines', linesOf(chat), chat, 1],
    ['a chat with a title', blobOf({ id: 'chat-1', title: 'The time', messages: chat }), chat, 1],
    [
      'a list of chats',
      blobOf([
        { id: 'one', messages: chat },
        { id: 'two', messages: chat },
      ]),
      chat,
      2,
    ],
  ])('come in untouched, under their ids, from %s', async (_, file, messages, count) => {
    const store = openStore()
    const { sessions, keys, skippedCount } = await importFiles(store, file)
    expect([keys.length, skippedCount]).toEqual([count, 0])
    expect(sessions[0]).toMatchObject({ dialect: 'ai-sdk', added: 3 })
    expect(keys[0]).toMatch(/^ai-sdk:/)
    expect(await messagesOf(store, keys[0]!)).toEqual(messages)
    expect((await store.findByMid(keys[0]!, ['s', 'u', 'a'])).map((entry) => entry?.data['mid'])).toEqual([
      's',
      'u',
      'a',
    ])
    expect(await importFiles(store, file)).toMatchObject({ keys, added: 0 })
  })

  it('are what useChat shows of them', async () => {
    const client = await openDirectStore({ name: crypto.randomUUID(), modes: ['memory'] })
    const { keys } = await importFiles(client.store, blobOf(chat))
    expect(await loadChat(await client.session(keys[0]!))).toEqual(chat)
    await client.close()
  })

  it('have the time and the title of their chat', async () => {
    const store = openStore()
    await importFiles(store, blobOf({ id: 'chat-1', title: 'The time', createdAt: msAt(0), messages: chat }))
    expect(await store.getMeta('ai-sdk:chat-1')).toMatchObject({ title: 'The time', createdAt: msAt(0) })
    const { entries } = await store.read('ai-sdk:chat-1')
    expect(entries[1]!.at).toBe(msAt(1))
    const { keys } = await importFiles(store, blobOf(chat))
    expect(await store.getMeta(keys[0]!)).toMatchObject({ title: 'What time is it?' })
  })

  it('are continued where a later export has more, and fork where it goes on otherwise', async () => {
    const store = openStore()
    const { keys } = await importFiles(store, blobOf(chat))
    const next = { id: 'u2', role: 'user', parts: [{ type: 'text', text: 'Thanks.' }] }
    expect(await importFiles(store, blobOf([...chat, next]))).toMatchObject({ keys, added: 1, known: 3 })
    expect(await importFiles(store, blobOf([...chat, { ...next, id: 'u3' }]))).toMatchObject({ keys, added: 1 })
    expect(await messagesOf(store, keys[0]!)).toEqual([...chat, { ...next, id: 'u3' }])
  })
})
