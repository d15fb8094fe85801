import { BaseListChatMessageHistory } from '@langchain/core/chat_history'
import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  mapStoredMessagesToChatMessages,
  ToolMessage,
} from '@langchain/core/messages'
import { RunnableLambda, RunnableWithMessageHistory } from '@langchain/core/runnables'
import { afterEach, expect, it } from 'vitest'
import { createChatMessageHistory } from '../../../src/adapters/langchain/create-chat-message-history.ts'
import type { SessionClient } from '../../../src/client/client-contract.ts'
import { deleteSessionStore } from '../../../src/client/opening/delete-session-store.ts'
import { openSessionStore } from '../../../src/client/opening/open-session-store.ts'

const name = `chains-${crypto.randomUUID()}`
const clients: SessionClient[] = []
const close = async (): Promise<void> => {
  for (const client of clients.splice(0)) await client.close()
}
afterEach(async () => {
  await close()
  await deleteSessionStore(name)
})

async function openHistory(): Promise<BaseListChatMessageHistory> {
  const client = await openSessionStore({ name, modes: ['worker'], timeoutMs: 30_000 })
  clients.push(client)
  return createChatMessageHistory(await client.session('chat'), {
    BaseListChatMessageHistory,
    mapStoredMessagesToChatMessages,
  })
}

/** A chain that answers with the number of messages it was given. */
async function ask(question: string): Promise<BaseMessage> {
  const history = await openHistory()
  const chain = new RunnableWithMessageHistory({
    runnable: RunnableLambda.from((messages: BaseMessage[]) => new AIMessage(`${messages.length} messages`)),
    getMessageHistory: () => history,
  })
  return chain.invoke([new HumanMessage(question)], { configurable: { sessionId: 'chat' } })
}

it('gives a chain the messages of before a reload, of the classes that they had', async () => {
  expect((await ask('one')).content).toBe('1 messages')
  await close()
  const history = await openHistory()
  const call = { name: 'weather', args: { city: 'Rome' }, id: 'call-1', type: 'tool_call' as const }
  const more = [
    new AIMessage({ content: '', tool_calls: [call], response_metadata: { at: new Date(7) } }),
    new ToolMessage({ content: 'sunny', tool_call_id: 'call-1', artifact: { bytes: Uint8Array.of(1, 2) } }),
  ]
  await history.addMessages(more)
  await close()
  expect((await ask('two')).content).toBe('5 messages')
  await close()
  const messages = await (await openHistory()).getMessages()
  expect(messages.map((message) => message.getType())).toEqual(['human', 'ai', 'ai', 'tool', 'human', 'ai'])
  expect(messages[2]).toMatchObject({ tool_calls: [call], response_metadata: { at: new Date(7) } })
  expect(messages[3]).toMatchObject({ artifact: { bytes: Uint8Array.of(1, 2) } })
})
