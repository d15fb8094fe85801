import type { UIMessage } from 'ai'
import { loadChat } from '../../../../src/adapters/ai-sdk/load-chat.ts'
import { type PersistOptions, persistTransport } from '../../../../src/adapters/ai-sdk/persist-transport.ts'
import type { SessionClient } from '../../../../src/client/client-contract.ts'
import { MemoryChat } from './memory-chat.ts'
import { createScriptedAgent } from './scripted-agent.ts'

/** A tab with a chat. */
export async function openChat(client: SessionClient, options?: PersistOptions, key = 'chat') {
  const session = await client.session(key)
  const scripted = createScriptedAgent()
  const transport = persistTransport(scripted.inner, session, options)
  const chat = new MemoryChat({ messages: await loadChat<UIMessage>(session), transport })
  return { ...scripted, session, transport, chat, load: () => loadChat<UIMessage>(session) }
}
