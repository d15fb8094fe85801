import { AsyncLocalStorage } from 'node:async_hooks'
import { AsyncLocalStorageProviderSingleton } from '@langchain/core/singletons'
import {
  Annotation,
  BaseCheckpointSaver,
  BaseStore,
  Command,
  END,
  interrupt,
  type LangGraphRunnableConfig,
  MemorySaver,
  MessagesAnnotation,
  Send,
  START,
  StateGraph,
} from '@langchain/langgraph/web'
import { afterEach, describe, expect, it } from 'vitest'
import { createLangGraphStore } from '../../../src/adapters/langgraph/create-langgraph-store.ts'
import { createSaver } from '../../../src/adapters/langgraph/create-saver.ts'
import type { SessionClient } from '../../../src/client/client-contract.ts'
import { createProfile, type Profile } from '../../client/support/open-port-client.ts'

// `interrupt` needs it. In a browser, graphs wait by `interruptBefore`: run-graph.browser.test.ts.
AsyncLocalStorageProviderSingleton.initializeGlobalInstance(new AsyncLocalStorage())

const clients: SessionClient[] = []
const close = async (): Promise<void> => {
  for (const client of clients.splice(0)) await client.close()
}
afterEach(close)

async function openParts(profile: Profile) {
  const client = await profile.open({ name: 'graphs' })
  clients.push(client)
  return {
    checkpointer: createSaver(client, { BaseCheckpointSaver }),
    store: createLangGraphStore(client, { BaseStore }),
  }
}

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  steps: Annotation<string[]>({ reducer: (before, more) => before.concat(more), default: () => [] }),
})

/** Asks for a name, waits for an answer, works in parallel, and remembers. */
const builder = new StateGraph(State)
  .addNode('ask', () => ({ messages: [{ role: 'assistant', content: 'Who are you?' }], steps: ['ask'] }))
  .addNode('wait', () => {
    const name: string = interrupt({ question: 'name' })
    return { messages: [{ role: 'user', content: name }], steps: [`wait ${name}`] }
  })
  .addNode('work', ({ item }: { item: string }) => ({ steps: [`work ${item}`] }))
  .addNode('remember', async ({ steps }, { store }: LangGraphRunnableConfig) => {
    await store!.put(['users'], 'last', { steps })
    return { steps: ['remember'] }
  })
  .addEdge(START, 'ask')
  .addEdge('ask', 'wait')
  .addConditionalEdges('wait', () => ['a', 'b'].map((item) => new Send('work', { item })), ['work'])
  .addEdge('work', 'remember')
  .addEdge('remember', END)

const thread = { configurable: { thread_id: 'thread-1' } }
const input = { messages: [{ role: 'user', content: 'Hello' }] }
const finished = ['ask', 'wait Ada', 'work a', 'work b', 'remember']

describe('a graph', () => {
  it('that waits for a person goes on where it was, after the store was closed and opened again', async () => {
    const profile = createProfile()
    const paused = await builder.compile(await openParts(profile)).invoke(input, thread)
    expect(paused).toMatchObject({ __interrupt__: [{ value: { question: 'name' } }] })
    await close()

    const parts = await openParts(profile)
    const graph = builder.compile(parts)
    expect((await graph.getState(thread)).next).toEqual(['wait'])
    const done = await graph.invoke(new Command({ resume: 'Ada' }), thread)
    expect(done.steps).toEqual(finished)
    expect(done.messages.map(({ content }) => content)).toEqual(['Hello', 'Who are you?', 'Ada'])
    expect(await parts.store.get(['users'], 'last')).toMatchObject({ value: { steps: finished.slice(0, -1) } })
    await close()

    const reopened = builder.compile(await openParts(profile))
    const state = await reopened.getState(thread)
    expect(state.next).toEqual([])
    expect(state.values.messages.map((message: { _getType(): string }) => message._getType())).toEqual([
      'human',
      'ai',
      'human',
    ])
  })

  it.each(['sync', 'async', 'exit'] as const)(
    'has the history that it has in memory, with durability %s',
    async (durability) => {
      const parts = await openParts(createProfile())
      const histories = []
      for (const checkpointer of [parts.checkpointer, new MemorySaver()]) {
        const graph = builder.compile({ ...parts, checkpointer })
        await graph.invoke(input, { ...thread, durability })
        await graph.invoke(new Command({ resume: 'Ada' }), { ...thread, durability })
        const history = []
        for await (const { values, next, metadata } of graph.getStateHistory(thread))
          history.push({ steps: values.steps, next, source: metadata!.source, step: metadata!.step })
        histories.push(history)
      }
      expect(histories[0]).toEqual(histories[1])
      expect(histories[0]!.length).toBeGreaterThan(durability === 'exit' ? 1 : 5)
    },
  )

  it('that goes on from an earlier state in two ways keeps what it did each time', async () => {
    const graph = builder.compile(await openParts(createProfile()))
    await graph.invoke(input, thread)
    const waiting = (await graph.getState(thread)).config
    const ends = []
    for (const name of ['Ada', 'Bob']) {
      await graph.invoke(null, await graph.updateState(waiting, { steps: [`wait ${name}`] }, 'wait'))
      ends.push((await graph.getState(thread)).config)
    }
    const copy = await graph.updateState(waiting, { steps: ['edited'] }, 'ask')
    const stepsOf = async (config: typeof waiting) => (await graph.getState(config)).values.steps
    expect(await stepsOf(ends[0]!)).toEqual(finished)
    expect(await stepsOf(ends[1]!)).toEqual(finished.map((step) => step.replace('Ada', 'Bob')))
    expect(await stepsOf(copy)).toEqual(['ask', 'edited'])
    expect(await stepsOf(waiting)).toEqual(['ask'])
  })

  it('that fails keeps what other nodes of the step did, and does only the rest when it goes on', async () => {
    const calls: string[] = []
    let isBroken = true
    const parallel = new StateGraph(State)
      .addNode('good', () => (calls.push('good'), { steps: ['good'] }))
      .addNode('bad', () => {
        calls.push('bad')
        if (isBroken) throw new Error('The tool broke.')
        return { steps: ['bad'] }
      })
      .addEdge(START, 'good')
      .addEdge(START, 'bad')
      .compile(await openParts(createProfile()))
    await expect(parallel.invoke(input, thread)).rejects.toThrow('The tool broke.')
    isBroken = false
    const { steps } = await parallel.invoke(null, thread)
    expect(steps.sort()).toEqual(['bad', 'good'])
    expect(calls.sort()).toEqual(['bad', 'bad', 'good'])
  })

  it('with a graph in it that waits goes on in that one', async () => {
    const profile = createProfile()
    const inner = new StateGraph(State)
      .addNode('wait', () => ({ steps: [`inner ${interrupt('go?')}`] }))
      .addEdge(START, 'wait')
    const outer = new StateGraph(State).addNode('inner', inner.compile()).addEdge(START, 'inner')
    await outer.compile(await openParts(profile)).invoke(input, thread)
    await close()
    const { steps } = await outer.compile(await openParts(profile)).invoke(new Command({ resume: 'yes' }), thread)
    expect(steps).toEqual(['inner yes'])
  })
})
