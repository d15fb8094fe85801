import type {
  AgentInputItem,
  Model,
  Session as SdkSession,
  SessionHistoryRewriteAwareSession,
  SessionHistoryTransactionAwareSession,
} from '@openai/agents-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createAgentsSession } from '../../../src/adapters/openai-agents/create-agents-session.ts'
import type { SessionClient } from '../../../src/client/client-contract.ts'
import type { Session } from '../../../src/client/session-contract.ts'
import { createProfile, type Profile } from '../../client/support/open-port-client.ts'

type Memory = SessionHistoryTransactionAwareSession & SessionHistoryRewriteAwareSession

// The SDK listens to the process from its import on, and offers no way to end that.
const events = ['unhandledRejection', 'beforeExit', 'SIGINT', 'SIGTERM'] as const
const listenersBefore = new Map(events.map((event) => [event, process.listeners(event as 'SIGINT')]))
let sdk: typeof import('@openai/agents-core')
beforeAll(async () => {
  sdk = await import('@openai/agents-core')
})
afterAll(() => {
  for (const [event, before] of listenersBefore)
    for (const listener of process.listeners(event as 'SIGINT'))
      if (!before.includes(listener)) process.removeListener(event, listener)
})

const clients: SessionClient[] = []
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})

async function openSession(profile: Profile = createProfile()): Promise<Session> {
  const client = await profile.open({ name: 'agents' })
  clients.push(client)
  return client.session('chat')
}

/** The adapter as the SDK takes it, and the session behind it. */
async function open(): Promise<{ readonly memory: Memory; readonly session: Session }> {
  const session = await openSession()
  return { memory: createAgentsSession(session), session }
}

const user = (content: string): AgentInputItem => ({ role: 'user', content })
const call = (callId: string, args: string): Extract<AgentInputItem, { type: 'function_call' }> => ({
  type: 'function_call',
  callId,
  name: 'weather',
  arguments: args,
  status: 'completed',
})
const result = (callId: string, text: string): AgentInputItem => ({
  type: 'function_call_result',
  callId,
  name: 'weather',
  status: 'completed',
  output: { type: 'text', text },
})
const append = (operationId: string, ...items: AgentInputItem[]) => ({
  operationId,
  transaction: { type: 'append_items' as const, items },
})
const replace = (operationId: string, expectedSuffix: AgentInputItem[], ...replacement: AgentInputItem[]) => ({
  operationId,
  transaction: { type: 'replace_suffix' as const, expectedSuffix, replacement },
})

it('is a session of the SDK, with both capabilities', async () => {
  const { memory, session } = await open()
  const typed: SdkSession = createAgentsSession(session)
  expect([sdk.isSessionHistoryRewriteAwareSession(typed), sdk.isSessionHistoryTransactionAwareSession(memory)]).toEqual(
    [true, true],
  )
  expect(await typed.getSessionId()).toBe('chat')
})

describe('items', () => {
  it('come back as they were added, oldest first, whatever kind they are', async () => {
    const { memory } = await open()
    const items: AgentInputItem[] = [
      user('How is the weather?'),
      { type: 'reasoning', content: [{ type: 'input_text', text: 'Ask the tool.' }] },
      call('c1', '{"city":"Rome"}'),
      result('c1', 'Sunny'),
      { role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'It is sunny.' }] },
      { role: 'user', content: 'x', providerData: { at: new Date(7), bytes: Uint8Array.of(1, 2, 3), $date: 'text' } },
    ]
    await memory.addItems(items)
    expect(await memory.getItems()).toEqual(items)
    expect(await memory.getItems(2)).toEqual(items.slice(-2))
    expect([await memory.getItems(0), await memory.getItems(-1), await memory.getItems(Number.NaN)]).toEqual([
      [],
      [],
      [],
    ])
    expect(await memory.getItems(100)).toEqual(items)
  })

  it('are none in a new session, and adding none makes none', async () => {
    const { memory, session } = await open()
    await memory.addItems([])
    expect([await memory.getItems(), await memory.popItem(), await session.meta()]).toEqual([[], undefined, undefined])
    await memory.clearSession()
    expect(await session.meta()).toBeUndefined()
  })

  it('may be changed by whoever added or read them, without any effect', async () => {
    const { memory } = await open()
    const added = { role: 'user' as const, content: 'a', providerData: { list: [1] } }
    await memory.addItems([added])
    added.providerData.list.push(2)
    const [read] = (await memory.getItems()) as [typeof added]
    read.providerData.list.push(3)
    expect(await memory.getItems()).toEqual([{ role: 'user', content: 'a', providerData: { list: [1] } }])
  })

  it('are added all or none', async () => {
    const { memory } = await open()
    const bad = { role: 'user', content: 'b', providerData: { map: new Map() } } as AgentInputItem
    await expect(memory.addItems([user('a'), bad])).rejects.toMatchObject({ name: 'InvalidInput' })
    expect(await memory.getItems()).toEqual([])
  })

  it('are found among many, and among entries that are no messages', async () => {
    const { memory, session } = await open()
    const items = Array.from({ length: 1200 }, (_, i) => user(`${i}`))
    await memory.addItems(items)
    await session.appendAll(Array.from({ length: 20 }, (_, n) => ({ type: 'custom', data: { n } })))
    expect(await memory.getItems()).toEqual(items)
    expect(await memory.getItems(3)).toEqual(items.slice(-3))
    expect(await memory.popItem()).toEqual(user('1199'))
  })

  it('are popped by one of two tabs', async () => {
    const profile = createProfile()
    const [one, other] = [await openSession(profile), await openSession(profile)].map((session) =>
      createAgentsSession<AgentInputItem>(session),
    )
    await one!.addItems([user('a'), user('b')])
    expect(
      (await Promise.all([one!.popItem(), other!.popItem()]))
        .map((item) => (item as { content: string }).content)
        .sort(),
    ).toEqual(['a', 'b'])
    expect(await other!.popItem()).toBeUndefined()
  })

  it('are all gone when the session is cleared, and its title stays', async () => {
    const { memory, session } = await open()
    await memory.addItems([user('a')])
    await session.rename('A title')
    await memory.clearSession()
    await memory.addItems([user('b')])
    expect(await memory.getItems()).toEqual([user('b')])
    expect((await session.meta())?.title).toBe('A title')
  })
})

describe('a transaction', () => {
  it('appends once under its operation id', async () => {
    const { memory } = await open()
    await memory.applyHistoryTransaction(append('op', user('a'), user('b')))
    await memory.addItems([user('c')])
    await memory.applyHistoryTransaction(append('op', user('a'), user('b')))
    expect(await memory.getItems()).toEqual([user('a'), user('b'), user('c')])
  })

  it('may append nothing', async () => {
    const { memory } = await open()
    await memory.addItems([user('a')])
    await memory.applyHistoryTransaction(append('op'))
    await expect(memory.applyHistoryTransaction(append('op', user('b')))).rejects.toMatchObject({
      name: 'OperationConflict',
    })
    expect(await memory.getItems()).toEqual([user('a')])
  })

  it('replaces the last items once, although they are gone when it is repeated', async () => {
    const { memory } = await open()
    await memory.addItems([user('a'), call('c1', '{}'), result('c1', 'one')])
    const change = replace('op', [call('c1', '{}'), result('c1', 'one')], call('c1', '{"x":1}'))
    await memory.applyHistoryTransaction(change)
    await memory.applyHistoryTransaction(change)
    expect(await memory.getItems()).toEqual([user('a'), call('c1', '{"x":1}')])
  })

  it('replaces whatever the order of the fields is, and sees an absent and an undefined field as the same', async () => {
    const { memory } = await open()
    await memory.addItems([{ role: 'user', content: 'a', providerData: { one: 1, two: undefined } }])
    await memory.applyHistoryTransaction(
      replace('op', [{ providerData: { one: 1 }, content: 'a', role: 'user' }], user('b')),
    )
    expect(await memory.getItems()).toEqual([user('b')])
  })

  it('is refused when the history does not end with what it expects, and its id stays free', async () => {
    const { memory } = await open()
    await memory.addItems([user('a'), user('b')])
    for (const expected of [[user('a')], [user('x'), user('b')], [user('z'), user('a'), user('b')]])
      await expect(memory.applyHistoryTransaction(replace('op', expected, user('n')))).rejects.toMatchObject({
        name: 'ParentMoved',
      })
    expect(await memory.getItems()).toEqual([user('a'), user('b')])
    await memory.applyHistoryTransaction(replace('op', [user('b')], user('B')))
    expect(await memory.getItems()).toEqual([user('a'), user('B')])
  })

  it('is refused when its id was used for another one, of either kind', async () => {
    const { memory } = await open()
    await memory.applyHistoryTransaction(append('one', user('a')))
    await memory.applyHistoryTransaction(replace('two', [user('a')], user('b')))
    for (const other of [
      append('one', user('x')),
      append('two', user('b')),
      replace('one', [user('b')], user('x')),
      replace('two', [user('a')], user('x')),
    ])
      await expect(memory.applyHistoryTransaction(other)).rejects.toMatchObject({ name: 'OperationConflict' })
    expect(await memory.getItems()).toEqual([user('b')])
  })

  it('can be done again under its id once the session was cleared', async () => {
    const { memory } = await open()
    for (let round = 0; round < 2; round++) {
      await memory.applyHistoryTransaction(append('one', user('a')))
      await memory.applyHistoryTransaction(replace('two', [user('a')], user('b')))
      expect(await memory.getItems()).toEqual([user('b')])
      await memory.clearSession()
    }
  })

  it('changes nothing when an item is bad, and its id stays free', async () => {
    const { memory } = await open()
    const bad = { role: 'user', content: 'x', providerData: { n: Number.NaN } } as AgentInputItem
    await memory.addItems([user('a')])
    await expect(memory.applyHistoryTransaction(append('op', user('b'), bad))).rejects.toMatchObject({
      name: 'InvalidInput',
    })
    await expect(memory.applyHistoryTransaction(replace('op', [user('a')], bad))).rejects.toMatchObject({
      name: 'InvalidInput',
    })
    for (const other of [{ type: 'move', items: [] }, null])
      await expect(memory.applyHistoryTransaction({ operationId: 'op', transaction: other as never })).rejects.toThrow()
    await memory.applyHistoryTransaction(append('op', user('b')))
    expect(await memory.getItems()).toEqual([user('a'), user('b')])
  })

  it('of two tabs at once is done by one, when both expect the same end', async () => {
    const profile = createProfile()
    const tabs = [await openSession(profile), await openSession(profile)].map((session) =>
      createAgentsSession<AgentInputItem>(session),
    )
    await tabs[0]!.addItems([user('a')])
    const outcomes = await Promise.allSettled(
      tabs.map((memory, n) => memory.applyHistoryTransaction(replace(`op ${n}`, [user('a')], user(`by ${n}`)))),
    )
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    // The same transaction of both is done once.
    const last = await tabs[0]!.getItems()
    await Promise.all(tabs.map((memory) => memory.applyHistoryTransaction(replace('op', last, user('end')))))
    expect(await tabs[1]!.getItems()).toEqual([user('end')])
  })
})

describe('a mutation', () => {
  it('puts a call in the place of the first one with its id, and the others go', async () => {
    const { memory } = await open()
    const items = [call('c1', '1'), user('a'), call('c2', '2'), call('c1', '3'), result('c1', 'r')]
    const mutations = [{ type: 'replace_function_call' as const, callId: 'c1', replacement: call('c1', 'new') }]
    await memory.addItems(items)
    await memory.applyHistoryMutations({ mutations })
    const theirs = new sdk.MemorySession({ initialItems: items })
    await theirs.applyHistoryMutations({ mutations })
    expect(await memory.getItems()).toEqual(await theirs.getItems())
  })

  it('of a call that is not there changes nothing, and none is fine', async () => {
    const { memory, session } = await open()
    await memory.addItems([user('a')])
    await memory.applyHistoryMutations({ mutations: [] })
    await memory.applyHistoryMutations({
      mutations: [{ type: 'replace_function_call', callId: 'none', replacement: call('none', 'x') }],
    })
    await expect(memory.applyHistoryMutations({ mutations: [{ type: 'other' } as never] })).rejects.toMatchObject({
      name: 'InvalidInput',
    })
    expect(await session.messages()).toEqual([user('a')])
  })
})

it('remembers for an agent what was said in the run before, with the calls of its tools', async () => {
  const session = await openSession()
  const inputs: unknown[] = []
  const replies: AgentInputItem[][] = [
    [call('c1', '{"city":"Rome"}')],
    [{ type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'Sunny.' }] }],
    [{ type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'Rome.' }] }],
  ]
  const model: Model = {
    getResponse: async ({ input }) => {
      inputs.push(structuredClone(input))
      return { usage: new sdk.Usage(), output: replies.shift()! as never }
    },
    getStreamedResponse: () => {
      throw new Error('Nobody asks for a stream here.')
    },
  }
  const weather = sdk.tool({
    name: 'weather',
    description: 'The weather of a city.',
    strict: false,
    parameters: { type: 'object', properties: {}, required: [], additionalProperties: true },
    execute: async () => 'Sunny',
  })
  const agent = new sdk.Agent({ name: 'Assistant', model, tools: [weather] })
  const runner = new sdk.Runner({ tracingDisabled: true })
  const said = []
  for (const question of ['How is the weather?', 'Which city was it?'])
    said.push((await runner.run(agent, question, { session: createAgentsSession(session) })).finalOutput)
  expect(said).toEqual(['Sunny.', 'Rome.'])
  expect((inputs[2] as AgentInputItem[]).map((item) => item.type ?? (item as { role: string }).role)).toEqual([
    'message',
    'function_call',
    'function_call_result',
    'message',
    'message',
  ])
  expect((await session.messages()).map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'tool',
    'assistant',
    'user',
    'assistant',
  ])
})
