import { BaseListChatMessageHistory } from '@langchain/core/chat_history'
import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  ChatMessage,
  FunctionMessage,
  HumanMessage,
  mapStoredMessagesToChatMessages,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages'
import { RunnableLambda, RunnableWithMessageHistory } from '@langchain/core/runnables'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createChatMessageHistory } from '../../../src/adapters/langchain/create-chat-message-history.ts'
import type { SessionClient } from '../../../src/client/client-contract.ts'
import type { Session } from '../../../src/client/session-contract.ts'
import { createProfile, type Profile } from '../../client/support/open-port-client.ts'

const modules = { BaseListChatMessageHistory, mapStoredMessagesToChatMessages }

let profile: Profile
let session: Session
let history: BaseListChatMessageHistory
const clients: SessionClient[] = []
async function openSession(): Promise<Session> {
  const client = await profile.open({ name: 'chats' })
  clients.push(client)
  return client.session('chat')
}
beforeEach(async () => {
  profile = createProfile()
  session = await openSession()
  history = createChatMessageHistory(session, modules)
})
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})

const call = { name: 'weather', args: { city: 'Rome' }, id: 'call-1', type: 'tool_call' as const }

/** What makes up a message, whichever class it was made with. */
const fieldsOf = (message: BaseMessage): unknown => {
  const { lc_kwargs, ...fields } = message
  return fields
}

describe('messages', () => {
  const messages: BaseMessage[] = [
    new SystemMessage('Be brief.'),
    new HumanMessage({ content: 'How is the weather?', name: 'Ada', id: 'h1' }),
    new AIMessage({
      content: '',
      id: 'a1',
      tool_calls: [call],
      invalid_tool_calls: [{ name: 'broken', args: '{', id: 'call-2', error: 'no JSON', type: 'invalid_tool_call' }],
      usage_metadata: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
      response_metadata: { model: 'm', at: new Date(7) },
    }),
    new ToolMessage({
      content: 'Sunny',
      tool_call_id: 'call-1',
      name: 'weather',
      status: 'success',
      artifact: { bytes: Uint8Array.of(1, 2) },
    }),
    new AIMessage({
      content: [
        { type: 'text', text: 'It is ' },
        { type: 'text', text: 'sunny.' },
      ],
      id: 'a2',
    }),
    new HumanMessage({
      content: [
        { type: 'text', text: 'And here?' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
      ],
    }),
    new HumanMessage({ contentBlocks: [{ type: 'text', text: 'In blocks.' }] }),
    new FunctionMessage({ content: 'result', name: 'f' }),
    new ChatMessage({ content: 'As a critic.', role: 'critic' }),
    new AIMessage({ content: 'x', additional_kwargs: { lc: 1, $date: 'text', deep: { lc: 'own' } } }),
  ]

  it('of every type come back as they were added, in another tab too', async () => {
    await history.addMessages(messages)
    const there = createChatMessageHistory(await openSession(), modules)
    const loaded = await there.getMessages()
    expect(loaded.map(fieldsOf)).toEqual(messages.map(fieldsOf))
    expect(loaded.map(({ constructor }) => constructor)).toEqual(messages.map(({ constructor }) => constructor))
  })

  it('are chat messages for everybody else', async () => {
    await history.addMessages(messages.slice(0, 4))
    expect(await session.messages()).toMatchObject([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'How is the weather?' },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'call-1', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } }],
      },
      { role: 'tool', content: 'Sunny', tool_call_id: 'call-1' },
    ])
    expect((await session.entries.find({ mid: 'a1' }))?.message?.role).toBe('assistant')
  })

  it('that others stored or edited are loaded by their role', async () => {
    await history.addUserMessage('Hello')
    await session.appendAll(
      [
        { role: 'assistant', content: 'Hi', tool_calls: [] },
        { role: 'tool', content: 'Sunny', tool_call_id: 'call-1' },
        { role: 'tool', content: 'No id' },
        { role: 'system', content: null },
        { role: 'custom', content: 'x' },
      ].map((message) => ({ type: 'message' as const, message })),
    )
    const [first] = (await session.page()).entries
    await session.edit(first!, { role: 'user', content: 'Good morning' })
    const loaded = await history.getMessages()
    expect(loaded.map((message) => [message._getType(), message.content])).toEqual([
      ['human', 'Good morning'],
      ['ai', 'Hi'],
      ['tool', 'Sunny'],
      ['generic', 'No id'],
      ['system', ''],
      ['generic', 'x'],
    ])
  })

  it('whose content is edited in place are loaded with the new content and everything else', async () => {
    await history.addMessage(new AIMessage({ content: 'old', id: 'a', tool_calls: [call] }))
    const entry = (await session.entries.find({ mid: 'a' }))!
    await session.edit(entry, { ...entry.message!, content: 'new' })
    expect(await history.getMessages()).toMatchObject([{ content: 'new', id: 'a', tool_calls: [call] }])
  })

  it('with an id are stored once: the same writes nothing, a changed one takes its place', async () => {
    const first = new AIMessage({ content: 'a', id: '1' })
    await history.addMessages([first, new HumanMessage('b')])
    await history.addMessages([first, new AIMessage({ content: 'c', id: '1' })])
    expect((await history.getMessages()).map(({ content }) => content)).toEqual(['c', 'b'])
  })

  it('get an id that was set after they were made', async () => {
    const message = new AIMessage('a')
    message.id = 'late'
    await history.addMessage(message)
    expect((await history.getMessages())[0]!.id).toBe('late')
    expect(await session.entries.find({ mid: 'late' })).toBeDefined()
  })

  it('that were streamed are loaded as whole ones', async () => {
    const [one, two] = ['It is ', 'sunny.'].map((content) => new AIMessageChunk({ content, id: 'run-1' }))
    await history.addMessage(one!.concat(two!))
    expect(await history.getMessages()).toMatchObject([{ content: 'It is sunny.', id: 'run-1' }])
  })

  it('with documents of a tool keep what the documents have', async () => {
    class Document {
      pageContent = 'text'
      metadata = { at: new Date(7) }
    }
    await history.addMessage(new ToolMessage({ content: 'found', tool_call_id: 'c', artifact: [new Document()] }))
    const [loaded] = (await history.getMessages()) as ToolMessage[]
    expect(loaded!.artifact).toEqual([{ pageContent: 'text', metadata: { at: new Date(7) } }])
  })

  it('with content that is no chat content keep it', async () => {
    const content = [{ text: 'no type' }] as never
    await history.addMessage(new HumanMessage({ content }))
    expect((await history.getMessages())[0]!.content).toEqual(content)
  })

  it.each([
    ['an instruction to remove another', new RemoveMessage({ id: 'x' })],
    ['what JSON does not have', new AIMessage({ content: 'x', additional_kwargs: { map: new Map() } })],
  ])('that are %s are refused, and nothing is stored', async (_, message) => {
    await expect(history.addMessages([new HumanMessage('x'), message])).rejects.toMatchObject({ name: 'InvalidInput' })
    await expect(history.addMessages([message])).rejects.toMatchObject({ name: 'InvalidInput' })
    expect(await history.getMessages()).toEqual([])
  })

  it('are none in a new session, and after it was cleared', async () => {
    expect(await history.getMessages()).toEqual([])
    await history.addMessages([])
    expect(await session.meta()).toBeUndefined()
    await history.addAIMessage('x')
    await history.clear()
    expect(await history.getMessages()).toEqual([])
  })
})

it('remembers in a chain what was said', async () => {
  const prompts: string[][] = []
  const chain = new RunnableWithMessageHistory({
    runnable: RunnableLambda.from((messages: BaseMessage[]) => {
      prompts.push(messages.map(({ content }) => String(content)))
      return new AIMessage({ content: `answer ${prompts.length}`, id: `a${prompts.length}` })
    }),
    getMessageHistory: async () => history,
    config: {},
  })
  for (const text of ['one', 'two'])
    await chain.invoke([new HumanMessage(text)], { configurable: { sessionId: 'chat' } })
  expect(prompts).toEqual([['one'], ['one', 'answer 1', 'two']])
  expect((await history.getMessages()).map(({ content }) => content)).toEqual(['one', 'answer 1', 'two', 'answer 2'])
})
