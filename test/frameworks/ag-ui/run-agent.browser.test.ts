import { AbstractAgent, type BaseEvent, EventType, type Message, type RunAgentInput } from '@ag-ui/client'
import { from, type Observable } from 'rxjs'
import { afterEach, expect, it } from 'vitest'
import { hydrate } from '../../../src/adapters/ag-ui/hydrate-agent.ts'
import { recordAgent } from '../../../src/adapters/ag-ui/record-agent.ts'
import type { SessionClient } from '../../../src/client/client-contract.ts'
import { deleteSessionStore } from '../../../src/client/opening/delete-session-store.ts'
import { openSessionStore } from '../../../src/client/opening/open-session-store.ts'
import type { Session } from '../../../src/client/session-contract.ts'

const name = `agents-${crypto.randomUUID()}`
const clients: SessionClient[] = []
const close = async (): Promise<void> => {
  for (const client of clients.splice(0)) await client.close()
}
afterEach(async () => {
  await close()
  await deleteSessionStore(name)
})

async function openSession(): Promise<Session> {
  const client = await openSessionStore({ name, modes: ['worker'], timeoutMs: 30_000 })
  clients.push(client)
  return client.session('chat')
}

/** Answers each question with a call of a tool and a text, and counts the questions in its state. */
class WeatherAgent extends AbstractAgent {
  run({ threadId, runId, messages, state }: RunAgentInput): Observable<BaseEvent> {
    const asked = (state as { asked?: number }).asked ?? 0
    const [call, reply, toolCallId] = [`call of ${runId}`, `reply of ${runId}`, `tool of ${runId}`]
    return from([
      { type: EventType.RUN_STARTED, threadId, runId },
      { type: EventType.TOOL_CALL_START, parentMessageId: call, toolCallId, toolCallName: 'weather' },
      { type: EventType.TOOL_CALL_ARGS, toolCallId, delta: '{"city":' },
      { type: EventType.TOOL_CALL_ARGS, toolCallId, delta: '"Rome"}' },
      { type: EventType.TOOL_CALL_END, toolCallId },
      { type: EventType.TOOL_CALL_RESULT, messageId: `result of ${runId}`, toolCallId, content: 'sunny' },
      { type: EventType.TEXT_MESSAGE_START, messageId: reply, role: 'assistant' },
      { type: EventType.TEXT_MESSAGE_CONTENT, messageId: reply, delta: 'After ' },
      { type: EventType.TEXT_MESSAGE_CONTENT, messageId: reply, delta: `${messages.length} messages: sunny` },
      { type: EventType.TEXT_MESSAGE_END, messageId: reply },
      { type: EventType.STATE_SNAPSHOT, snapshot: { asked: asked + 1 } },
      { type: EventType.RUN_FINISHED, threadId, runId },
    ] as BaseEvent[])
  }
}

async function ask(runId: string): Promise<WeatherAgent> {
  const session = await openSession()
  const agent = new WeatherAgent(await hydrate<Message>(session))
  const recording = recordAgent(agent, session)
  agent.addMessage({ id: `question of ${runId}`, role: 'user', content: 'How is the weather?' })
  await agent.runAgent({ runId })
  await recording.settled()
  return agent
}

it('goes on after a reload with the messages, the calls and the state that it had', async () => {
  await ask('1')
  await close()
  const agent = await ask('2')
  const parts = ['question', 'call', 'result', 'reply']
  expect(agent.messages.map(({ id }) => id)).toEqual(
    ['1', '2'].flatMap((run) => parts.map((part) => `${part} of ${run}`)),
  )
  expect(agent.messages.at(-1)).toMatchObject({ content: 'After 5 messages: sunny' })
  await close()
  const { initialMessages, initialState } = await hydrate<Message>(await openSession())
  expect([initialMessages, initialState]).toEqual([agent.messages, { asked: 2 }])
})
