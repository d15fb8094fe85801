import type { AbstractChat, ChatTransport, UIMessage } from 'ai'
import { expect } from 'vitest'
import { chatBranches } from '../../../../src/adapters/ai-sdk/chat-branches.ts'
import { loadChat } from '../../../../src/adapters/ai-sdk/load-chat.ts'
import { persistTransport } from '../../../../src/adapters/ai-sdk/persist-transport.ts'
import type { SessionClient } from '../../../../src/client/client-contract.ts'
import { deleteSessionStore } from '../../../../src/client/opening/delete-session-store.ts'
import { openSessionStore } from '../../../../src/client/opening/open-session-store.ts'
import type { Session } from '../../../../src/client/session-contract.ts'
import { createScriptedAgent } from './scripted-agent.ts'

/** What the chats of all frameworks have: their messages are as reactive as the framework makes them. */
type FrameworkChat = Pick<
  AbstractChat<UIMessage>,
  'messages' | 'sendMessage' | 'regenerate' | 'addToolOutput' | 'stop' | 'error'
>

type OpenFrameworkChat = (init: {
  readonly messages: UIMessage[]
  readonly transport: ChatTransport<UIMessage>
}) => FrameworkChat

const textOf = ({ parts }: UIMessage): string =>
  parts.map((part) => (part.type === 'text' ? part.text : `<${part.type}>`)).join('')

/** Talks, calls a tool, regenerates and stops in the chat of a framework, and looks at what is left after each reload. */
export async function walkChat(openChat: OpenFrameworkChat): Promise<void> {
  const name = `chat-${crypto.randomUUID()}`
  let client: SessionClient | undefined
  async function open() {
    await client?.close()
    client = await openSessionStore({ name, modes: ['worker'], timeoutMs: 30_000 })
    const session = (await client.session('chat')) as Session<object>
    const { inner, release } = createScriptedAgent()
    const messages = await loadChat<UIMessage>(session)
    return { session, release, chat: openChat({ messages, transport: persistTransport(inner, session) }) }
  }
  const plain = (messages: readonly UIMessage[]): unknown => JSON.parse(JSON.stringify(messages))

  try {
    const { chat: first } = await open()
    await first.sendMessage({ text: 'weather' })
    const toolCallId = 'call-1'
    await first.addToolOutput({ tool: 'weather' as never, toolCallId, output: 'sunny' as never })
    await first.sendMessage()
    expect(first.error).toBeUndefined()
    expect(first.messages.map(textOf)).toEqual(['weather', '<step-start><tool-weather><step-start>2: you said tool'])

    const { chat: second, session } = await open()
    expect(plain(second.messages)).toEqual(plain(first.messages))
    await second.sendMessage({ text: 'b' })
    const reply = second.messages.at(-1)!
    await second.regenerate()
    expect(second.messages.at(-1)!.id).not.toBe(reply.id)
    expect((await chatBranches<UIMessage>(session).versions()).get(second.messages.at(-1)!.id)).toEqual({
      shown: 1,
      count: 2,
    })

    const { chat: third, session: talked } = await open()
    expect(plain(third.messages)).toEqual(plain(second.messages))
    const talking = third.sendMessage({ text: 'slowly' })
    await expect.poll(() => textOf(third.messages.at(-1)!)).toMatch(/1: you $/)
    await third.stop()
    await talking
    await expect.poll(() => talked.interrupted()).toHaveLength(1)

    const { chat: last } = await open()
    expect(last.messages.map(({ id }) => id)).toEqual(third.messages.map(({ id }) => id))
    expect(last.messages.at(-1)).toMatchObject({ interrupted: true })
  } finally {
    await client?.close()
    await deleteSessionStore(name)
  }
}
