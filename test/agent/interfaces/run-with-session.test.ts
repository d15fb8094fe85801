import { describe, expect, it } from 'vitest'
import type { Agent, MemoryReader } from '../../../src/dialects/aixgo/agents/agent-types.ts'
import { checkpointAgent } from '../../../src/dialects/aixgo/agents/checkpoint-agent.ts'
import { contextWithSession } from '../../../src/dialects/aixgo/agents/context-with-session.ts'
import { createMemory } from '../../../src/dialects/aixgo/agents/create-memory.ts'
import { isCheckpointable } from '../../../src/dialects/aixgo/agents/is-checkpointable.ts'
import { isMemoryAware } from '../../../src/dialects/aixgo/agents/is-memory-aware.ts'
import { isSessionAware } from '../../../src/dialects/aixgo/agents/is-session-aware.ts'
import { mustSessionFromContext } from '../../../src/dialects/aixgo/agents/must-session-from-context.ts'
import { restoreAgent } from '../../../src/dialects/aixgo/agents/restore-agent.ts'
import { runWithSession } from '../../../src/dialects/aixgo/agents/run-with-session.ts'
import { sessionFromContext } from '../../../src/dialects/aixgo/agents/session-from-context.ts'
import { createSessionManager } from '../../../src/dialects/aixgo/manager/create-session-manager.ts'
import type { ManagedSession } from '../../../src/dialects/aixgo/manager/manager-types.ts'
import { createProfile } from '../../client/support/open-port-client.ts'
import { memoryStore } from '../support/memory-store.ts'

const open = (): Promise<ManagedSession> => createSessionManager(memoryStore()).create('helper')
const contents = async (session: ManagedSession): Promise<unknown[]> =>
  (await session.messages()).map(({ content }) => content)

/** An agent that knows of nothing. */
const echo: Agent = { execute: ({ content }) => `You said: ${String(content)}` }

/** An agent of a class, whose methods are not its own. */
class Counter {
  seen: unknown[] = []
  count = 0
  async executeWithSession(_: unknown, session: ManagedSession): Promise<string> {
    this.seen = await contents(session)
    return String(++this.count)
  }
  createCheckpoint(): { count: number } {
    return { count: this.count }
  }
  restoreFromCheckpoint({ count }: { count?: unknown }): void {
    this.count = count as number
  }
}

describe('running an agent in a session', () => {
  it('stores the input before and the result after, also of an agent that knows of no sessions', async () => {
    const session = await open()
    expect(await runWithSession(echo, 'Hello', session)).toBe('You said: Hello')
    expect(await session.messages()).toMatchObject([
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'You said: Hello' },
    ])
  })

  it('gives the session, which ends with the input, to an agent that reads it', async () => {
    const session = await open()
    const agent = new Counter()
    await runWithSession(agent, 'a', session)
    await runWithSession(agent, 'b', session)
    expect(agent.seen).toEqual(['a', '1', 'b'])
    expect(await contents(session)).toEqual(['a', '1', 'b', '2'])
  })

  it('stores messages as they are, one or many, and no message where there is none', async () => {
    const session = await open()
    const call = { role: 'assistant', content: '', tool_calls: [{ id: 'c' }] }
    const result = { role: 'tool', content: 'done', tool_call_id: 'c' }
    await runWithSession({ execute: () => [call, result] }, { role: 'user', content: 'do', name: 'ann' }, session)
    await runWithSession({ execute: () => ({ role: 'assistant', content: 'one' }) }, 'q', session)
    await runWithSession({ execute: () => [] }, 'last', session)
    expect(await session.messages()).toEqual([
      { role: 'user', content: 'do', name: 'ann' },
      call,
      result,
      { role: 'user', content: 'q' },
      { role: 'assistant', content: 'one' },
      { role: 'user', content: 'last' },
    ])
  })

  it('keeps the input of a run that fails, and why it failed, for people but not for models', async () => {
    const session = await open()
    const failing: Agent = {
      execute: () => {
        throw new RangeError('too far')
      },
    }
    await expect(runWithSession(failing, 'go', session)).rejects.toThrow(RangeError)
    expect(await session.messages()).toEqual([{ role: 'user', content: 'go' }])
    expect((await session.page()).entries.at(-1)).toMatchObject({
      type: 'custom',
      data: { customType: 'run_failed', error: { name: 'RangeError', message: 'too far' } },
    })
    expect((await session.context()).messages).toEqual([{ role: 'user', content: 'go' }])
  })

  it('does not run the agent when the input can’t be stored', async () => {
    const manager = createSessionManager(memoryStore())
    const session = await manager.create('helper')
    await manager.delete(session.key)
    let ran = false
    await expect(runWithSession({ execute: () => ((ran = true), '') }, 'Hello', session)).rejects.toMatchObject({
      name: 'SessionNotFound',
    })
    expect(ran).toBe(false)
  })

  it('gives its memory to an agent that wants it, before it runs', async () => {
    const memory = createMemory({ store: memoryStore(), agentName: 'helper' })
    await memory.set('drink', 'tea')
    let known: MemoryReader | undefined
    const agent = {
      setMemory: (given: MemoryReader) => void (known = given),
      execute: async () => (await known!.read('drink'))!.value,
    }
    expect(await runWithSession(agent, 'What do I drink?', await open(), { memory: memory.reader })).toBe('tea')
    expect(await runWithSession(echo, 'x', await open(), { memory: memory.reader })).toBe('You said: x')
  })

  it('puts the session into a context, which the agent hands on', async () => {
    const session = await open()
    const context = { traceId: 't' }
    const agent: Agent = {
      execute: async (_, given) =>
        `${(given as typeof context).traceId} ${(await mustSessionFromContext(given).messages()).length}`,
    }
    expect(await runWithSession(agent, 'Hello', session, { context })).toBe('t 1')
    expect(sessionFromContext(context)).toBeUndefined()
  })

  it('takes a handle of a client as well', async () => {
    const client = await createProfile().open()
    const session = await client.session('s')
    await runWithSession(echo, 'Hello', session)
    expect(await contents(session)).toEqual(['Hello', 'You said: Hello'])
    await client.close()
  })

  it('loses nothing when many run at once', async () => {
    const session = await open()
    await Promise.all(Array.from({ length: 20 }, (_, n) => runWithSession(echo, String(n), session)))
    const all = Array.from({ length: 20 }, (_, n) => [String(n), `You said: ${n}`]).flat()
    expect([...(await contents(session))].sort()).toEqual(all.sort())
  })
})

describe('a context', () => {
  it('carries a session, which is not in its JSON, and is otherwise as it was', async () => {
    const session = await open()
    const context = contextWithSession({ traceId: 't' }, session)
    expect(sessionFromContext(context)).toBe(session)
    expect(mustSessionFromContext(context)).toBe(session)
    expect(JSON.stringify(context)).toBe('{"traceId":"t"}')
  })

  it('without a session says so', () => {
    expect(sessionFromContext({})).toBeUndefined()
    expect(() => mustSessionFromContext({})).toThrow(expect.objectContaining({ name: 'SessionNotInContext' }))
  })

  it('within another has its own session', async () => {
    const [outer, inner] = [await open(), await open()]
    const context = contextWithSession({}, outer)
    expect([sessionFromContext(contextWithSession(context, inner)), sessionFromContext(context)]).toEqual([
      inner,
      outer,
    ])
  })
})

describe('an agent with a state', () => {
  it('gets it back with the session, on any instance', async () => {
    const session = await open()
    const agent = new Counter()
    await runWithSession(agent, 'a', session)
    const { id } = await checkpointAgent(agent, session, { label: 'one' })
    await runWithSession(agent, 'b', session)
    const fresh = new Counter()
    expect(await restoreAgent(fresh, session, id)).toMatchObject({ name: 'one', isHead: true })
    expect([fresh.count, await contents(session)]).toEqual([1, ['a', '1']])
  })

  it('is left alone when the checkpoint has none, or is not there', async () => {
    const session = await open()
    const agent = new Counter()
    agent.count = 7
    const { id } = await checkpointAgent(echo, session)
    await restoreAgent(agent, session, id)
    await expect(restoreAgent(agent, session, 'none')).rejects.toMatchObject({ name: 'CheckpointNotFound' })
    expect(agent.count).toBe(7)
  })
})

it.each([
  null,
  undefined,
  'text',
  5,
  {},
  [],
  { executeWithSession: true, createCheckpoint: 1, setMemory: null },
  { createCheckpoint: () => ({}) },
  echo,
])('%o is of no special kind', (value) => {
  expect([isSessionAware(value), isCheckpointable(value), isMemoryAware(value)]).toEqual([false, false, false])
})

it('an agent is told by its methods, those of its class too', () => {
  const agent = new Counter()
  expect([
    isSessionAware(agent),
    isCheckpointable(agent),
    isMemoryAware(agent),
    isMemoryAware({ setMemory: () => undefined }),
  ]).toEqual([true, true, false, true])
})
