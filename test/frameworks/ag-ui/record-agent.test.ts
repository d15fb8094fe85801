import { AbstractAgent, type BaseEvent, EventType, type Message, type RunAgentInput } from '@ag-ui/client'
import { from, type Observable, Subject } from 'rxjs'
import { afterEach, describe, expect, it } from 'vitest'
import { hydrate } from '../../../src/adapters/ag-ui/hydrate-agent.ts'
import { recordAgent } from '../../../src/adapters/ag-ui/record-agent.ts'
import type { SessionClient } from '../../../src/client/client-contract.ts'
import type { Session } from '../../../src/client/session-contract.ts'
import { createProfile, type Profile } from '../../client/support/open-port-client.ts'

const clients: SessionClient[] = []
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})

async function openSession(profile: Profile): Promise<Session> {
  const client = await profile.open({ name: 'agents' })
  clients.push(client)
  return client.session('chat')
}

type Script = (input: RunAgentInput) => Observable<BaseEvent> | readonly object[]

/** An agent that plays what it is told, between the start and the end of a run. */
class ScriptedAgent extends AbstractAgent {
  script: Script = () => []

  run(input: RunAgentInput): Observable<BaseEvent> {
    const { threadId, runId } = input
    const events = this.script(input)
    if (!Array.isArray(events)) return events as Observable<BaseEvent>
    const start = { type: EventType.RUN_STARTED, threadId, runId }
    return from([start, ...events, { type: EventType.RUN_FINISHED, threadId, runId }] as BaseEvent[])
  }
}

const text = (messageId: string, ...deltas: readonly string[]): object[] => [
  { type: EventType.TEXT_MESSAGE_START, messageId, role: 'assistant' },
  ...deltas.map((delta) => ({ type: EventType.TEXT_MESSAGE_CONTENT, messageId, delta })),
  { type: EventType.TEXT_MESSAGE_END, messageId },
]
const call = (parentMessageId: string, toolCallId: string): object[] => [
  { type: EventType.TOOL_CALL_START, parentMessageId, toolCallId, toolCallName: 'weather' },
  { type: EventType.TOOL_CALL_ARGS, toolCallId, delta: '{"city":' },
  { type: EventType.TOOL_CALL_ARGS, toolCallId, delta: '"Rome"}' },
  { type: EventType.TOOL_CALL_END, toolCallId },
  { type: EventType.TOOL_CALL_RESULT, messageId: `result of ${toolCallId}`, toolCallId, content: 'sunny' },
]
const user = (id: string, content: string): Message => ({ id, role: 'user', content })

/** A page with an agent that goes on where the session is. */
async function openAgent(profile: Profile) {
  const session = await openSession(profile)
  const agent = new ScriptedAgent(await hydrate<Message>(session))
  const recording = recordAgent(agent, session)
  /** Runs the agent on this script. */
  const run = async (script: Script, runId?: string): Promise<void> => {
    agent.script = script
    await agent.runAgent(runId === undefined ? {} : { runId }).catch(() => undefined)
    await recording.settled()
  }
  return { session, agent, recording, run }
}

describe('a recorded agent', () => {
  it('is the same after a reload: messages, calls, results and state', async () => {
    const profile = createProfile()
    const { agent, run } = await openAgent(profile)
    agent.addMessage(user('u1', 'What is the weather in Rome?'))
    await run(() => [
      ...text('a1', 'Let me ', 'look.'),
      ...call('a1', 'c1'),
      { type: EventType.STATE_SNAPSHOT, snapshot: { city: 'Rome', asked: 1 } },
      ...text('a2', 'It is ', 'sunny.'),
    ])
    const { initialMessages, initialState, threadId } = await hydrate<Message>(await openSession(profile))
    expect(initialMessages).toEqual(agent.messages)
    expect(initialMessages.map(({ id }) => id)).toEqual(['u1', 'a1', 'result of c1', 'a2'])
    expect([initialState, threadId]).toEqual([{ city: 'Rome', asked: 1 }, 'chat'])
  })

  it('writes nothing twice when it goes on after a reload', async () => {
    const profile = createProfile()
    const first = await openAgent(profile)
    first.agent.addMessage(user('u1', 'one'))
    await first.run(() => [...text('a1', 'eins'), { type: EventType.STATE_SNAPSHOT, snapshot: { n: 1 } }])
    const entries = async () => (await first.session.page({ view: 'raw', last: 100 })).entries.length
    const before = await entries()
    const { agent, run } = await openAgent(profile)
    agent.addMessage(user('u2', 'two'))
    await run(() => text('a2', 'zwei'))
    expect((await first.session.messages()).map(({ id }) => id)).toEqual(['u1', 'a1', 'u2', 'a2'])
    expect((await entries()) - before).toBe(2)
  })

  it('streams a reply into the session, where a page that closes leaves it once, under its id, as far as it came', async () => {
    const profile = createProfile()
    const { agent, session } = await openAgent(profile)
    agent.addMessage(user('u1', 'Tell me.'))
    const events = new Subject<BaseEvent>()
    agent.script = () => events
    const run = agent.runAgent().catch(() => undefined)
    const other = (await openSession(profile)).transcript()
    const { threadId } = agent
    // The run begins once its input was stored.
    await expect.poll(() => events.observed).toBe(true)
    for (const event of [
      { type: EventType.RUN_STARTED, threadId, runId: 'r' },
      ...text('a1', 'Once ', 'upon').slice(0, -1),
    ])
      events.next(event as BaseEvent)
    await expect
      .poll(() => other.getSnapshot()?.drafts.map(({ mid, text }) => [mid, text]))
      .toEqual([['a1', 'Once upon']])
    other.close()
    await session.close()
    const after = await hydrate<Message>(await openSession(profile))
    expect(after.initialMessages).toEqual([
      user('u1', 'Tell me.'),
      { id: 'a1', role: 'assistant', content: 'Once upon' },
    ])
    events.complete()
    await run
  })

  it('marks a reply as cut off when its run fails', async () => {
    const profile = createProfile()
    const { agent, session, run } = await openAgent(profile)
    agent.addMessage(user('u1', 'Tell me.'))
    await run(({ threadId, runId }) =>
      from([
        { type: EventType.RUN_STARTED, threadId, runId },
        ...text('a1', 'Once').slice(0, -1),
        { type: EventType.RUN_ERROR, message: 'The model is gone.' },
      ] as BaseEvent[]),
    )
    expect((await session.interrupted()).map(({ mid, text, stopped }) => [mid, text, stopped])).toEqual([
      ['a1', 'Once', false],
    ])
    expect(await session.messages()).toHaveLength(2)
  })

  it('keeps the old path when a reply is made again', async () => {
    const profile = createProfile()
    const { agent, session, run } = await openAgent(profile)
    agent.addMessage(user('u1', 'Which?'))
    await run(() => text('a1', 'This.'))
    agent.setMessages(agent.messages.slice(0, 1))
    await run(() => text('a2', 'That.'))
    expect((await session.messages()).map(({ id }) => id)).toEqual(['u1', 'a2'])
    expect(await session.branches.list()).toHaveLength(2)
    const { branch } = await session.page({ last: 1 })
    await session.branches.switchTo((await session.branches.list()).find(({ id }) => id !== branch)!.id)
    expect((await hydrate<Message>(await openSession(profile))).initialMessages.map(({ id }) => id)).toEqual([
      'u1',
      'a1',
    ])
  })

  it('removes a message that was taken out of the middle', async () => {
    const { agent, session, run } = await openAgent(createProfile())
    for (const id of ['u1', 'u2', 'u3']) agent.addMessage(user(id, id))
    await run(() => text('a1', 'done'))
    agent.setMessages(agent.messages.filter(({ id }) => id !== 'u2'))
    await run(() => [])
    expect((await session.messages()).map(({ id }) => id)).toEqual(['u1', 'u3', 'a1'])
  })

  it('loses nothing of two tabs that talk at once', async () => {
    const profile = createProfile()
    const tabs = [await openAgent(profile), await openAgent(profile)]
    await Promise.all(
      tabs.map(async ({ agent, run }, tab) => {
        for (let i = 0; i < 25; i++) {
          agent.addMessage(user(`${tab} ${i}`, 'ask'))
          await run(({ runId }) => text(`reply to ${runId}`, 'yes'), `${tab} ${i}`)
        }
      }),
    )
    const ids = (await tabs[0]!.session.messages()).map(({ id }) => id)
    expect([ids.length, new Set(ids).size]).toEqual([100, 100])
  })

  it('brings nothing back that another tab deleted, and says so', async () => {
    const profile = createProfile()
    const session = await openSession(profile)
    const errors: unknown[] = []
    const agent = new ScriptedAgent(await hydrate<Message>(session))
    const recording = recordAgent(agent, session, { onError: (error) => errors.push(error) })
    agent.addMessage(user('u1', 'one'))
    agent.script = () => text('a1', 'eins')
    await agent.runAgent()
    await recording.settled()
    const other = await openSession(profile)
    await other.delete()
    agent.addMessage(user('u2', 'two'))
    agent.script = () => text('a2', 'zwei')
    await agent.runAgent()
    await expect(recording.settled()).rejects.toMatchObject({ name: 'SessionNotFound' })
    expect(errors).toContainEqual(expect.objectContaining({ name: 'SessionNotFound' }))
    expect(await other.messages()).toEqual([])
  })

  it('stores no reply in a session that was begun anew while it grew, and says so once', async () => {
    const profile = createProfile()
    const session = await openSession(profile)
    const errors: unknown[] = []
    const agent = new ScriptedAgent(await hydrate<Message>(session))
    const recording = recordAgent(agent, session, { onError: (error) => errors.push(error) })
    const events = new Subject<BaseEvent>()
    agent.script = () => events
    agent.addMessage(user('u1', 'one'))
    const running = agent.runAgent()
    const { store } = await openSession(profile)
    await expect.poll(async () => (await store.getHistory('chat')).length).toBe(1)
    const [start, part, end] = text('a1', 'eins') as [BaseEvent, BaseEvent, BaseEvent]
    const { threadId } = agent
    events.next({ type: EventType.RUN_STARTED, threadId, runId: 'r' } as BaseEvent)
    events.next(start)
    events.next(part)
    await expect.poll(() => store.listDrafts('chat')).toHaveLength(1)
    await store.purge('chat')
    await store.addMessage('chat', 'user', 'begun anew')
    events.next(end)
    events.next({ type: EventType.RUN_FINISHED, threadId, runId: 'r' } as BaseEvent)
    events.complete()
    await running
    await recording.settled().catch(() => undefined)
    expect(errors).toMatchObject([{ name: 'SessionNotFound' }])
    agent.script = () => []
    await agent.runAgent()
    await recording.settled()
    expect(errors).toHaveLength(1)
    expect((await store.getHistory('chat')).map(({ content }) => content)).toEqual(['begun anew'])
  })

  it('stores what follows a message that can not be stored, and says what it was', async () => {
    const profile = createProfile()
    const session = await openSession(profile)
    const errors: unknown[] = []
    const agent = new ScriptedAgent(await hydrate<Message>(session))
    const recording = recordAgent(agent, session, { onError: (error) => errors.push(error) })
    agent.addMessage({ id: 'u1', role: 'user', content: new Map() } as unknown as Message)
    agent.addMessage(user('u2', 'two'))
    agent.script = () => [...text('a2', 'zwei'), { type: EventType.STATE_SNAPSHOT, snapshot: { n: 1 } }]
    await agent.runAgent()
    await expect(recording.settled()).rejects.toMatchObject({ name: 'InvalidInput' })
    expect(errors).toContainEqual(expect.objectContaining({ name: 'InvalidInput' }))
    const stored = await hydrate<Message>(await openSession(profile))
    expect(stored.initialMessages.map(({ id }) => id)).toEqual(['u2', 'a2'])
    expect(stored.initialState).toEqual({ n: 1 })
  })

  it('goes on from the message in front of a reply that was stopped before its first word', async () => {
    const { agent, session, run } = await openAgent(createProfile())
    agent.addMessage(user('u1', 'one'))
    await run(({ threadId, runId }) =>
      from([{ type: EventType.RUN_STARTED, threadId, runId }, text('a1')[0]] as BaseEvent[]),
    )
    agent.setMessages([agent.messages[0]!])
    agent.addMessage(user('u2', 'two'))
    await run(() => text('a2', 'zwei'))
    expect((await session.messages()).map(({ id }) => id)).toEqual(['u1', 'u2', 'a2'])
  })

  it('records nothing more once it was stopped, also of a run that goes on', async () => {
    const { agent, session, recording } = await openAgent(createProfile())
    agent.addMessage(user('u1', 'one'))
    const events = new Subject<BaseEvent>()
    agent.script = () => events
    const run = agent.runAgent().catch(() => undefined)
    await expect.poll(() => events.observed).toBe(true)
    for (const event of [
      { type: EventType.RUN_STARTED, threadId: 'chat', runId: 'r' },
      ...text('a1', 'Once').slice(0, 2),
    ])
      events.next(event as BaseEvent)
    await expect.poll(async () => (await session.store.listDrafts('chat'))[0]?.text).toBe('Once')
    await recording.stop()
    events.next({ type: EventType.TEXT_MESSAGE_CONTENT, messageId: 'a1', delta: ' more' } as BaseEvent)
    events.complete()
    await run
    await recording.settled()
    expect((await session.messages()).map(({ content }) => content)).toEqual(['one', 'Once'])
  })

  it('keeps the state on the branch of a reply that was made again', async () => {
    const profile = createProfile()
    const { agent, run } = await openAgent(profile)
    agent.addMessage(user('u1', 'Which?'))
    await run(() => [...text('a1', 'This.'), { type: EventType.STATE_SNAPSHOT, snapshot: { n: 1 } }])
    agent.setMessages(agent.messages.slice(0, 1))
    await run(() => text('a2', 'That.'))
    expect((await hydrate<Message>(await openSession(profile))).initialState).toEqual({ n: 1 })
  })

  it('stores a reply once whose tool call came before its text', async () => {
    const profile = createProfile()
    const { agent, run } = await openAgent(profile)
    agent.addMessage(user('u1', 'one'))
    await run(() => [...call('a1', 'c1'), ...text('a1', 'It is sunny.')])
    const { initialMessages } = await hydrate<Message>(await openSession(profile))
    expect(initialMessages).toEqual(agent.messages)
  })

  it('shows results behind their calls, whatever was said in between', async () => {
    const profile = createProfile()
    const { agent, run } = await openAgent(profile)
    agent.addMessage(user('u1', 'one'))
    const [result] = call('a1', 'c1').slice(-1)
    await run(() => [...call('a1', 'c1').slice(0, -1), ...text('a2', 'Wait.'), result!])
    const { initialMessages } = await hydrate<Message>(await openSession(profile))
    expect(initialMessages.map(({ id }) => id)).toEqual(['u1', 'a1', 'result of c1', 'a2'])
    expect(initialMessages).toEqual(agent.messages)
  })

  it('brings dates and the content of activities back as they were', async () => {
    const profile = createProfile()
    const { agent, run } = await openAgent(profile)
    const activity = {
      id: 'x1',
      role: 'activity',
      activityType: 'PLAN',
      content: { at: new Date(0), steps: ['a'] },
    } as unknown as Message
    agent.addMessage(activity)
    await run(() => [])
    expect((await hydrate<Message>(await openSession(profile))).initialMessages).toEqual([activity])
  })
})
