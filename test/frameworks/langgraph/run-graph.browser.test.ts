import { Annotation, BaseCheckpointSaver, BaseStore, END, START, StateGraph } from '@langchain/langgraph/web'
import { afterEach, expect, it } from 'vitest'
import { createLangGraphStore } from '../../../src/adapters/langgraph/create-langgraph-store.ts'
import { createSaver } from '../../../src/adapters/langgraph/create-saver.ts'
import type { SessionClient } from '../../../src/client/client-contract.ts'
import { deleteSessionStore } from '../../../src/client/opening/delete-session-store.ts'
import { openSessionStore } from '../../../src/client/opening/open-session-store.ts'

const name = `graphs-${crypto.randomUUID()}`
const clients: SessionClient[] = []
const close = async (): Promise<void> => {
  for (const client of clients.splice(0)) await client.close()
}
afterEach(async () => {
  await close()
  await deleteSessionStore(name)
})

async function openParts() {
  const client = await openSessionStore({ name, modes: ['worker'], timeoutMs: 30_000 })
  clients.push(client)
  return {
    checkpointer: createSaver(client, { BaseCheckpointSaver }),
    store: createLangGraphStore(client, { BaseStore }),
  }
}

it('lets a graph that waits for a person go on after the store was closed and opened again', async () => {
  const State = Annotation.Root({
    steps: Annotation<string[]>({ reducer: (before, more) => before.concat(more), default: () => [] }),
  })
  const builder = new StateGraph(State)
    .addNode('draft', () => ({ steps: ['draft'] }))
    .addNode('send', async ({ steps }, { store }) => {
      await store!.put(['sent'], 'last', { steps })
      return { steps: ['send'] }
    })
    .addEdge(START, 'draft')
    .addEdge('draft', 'send')
    .addEdge('send', END)
  const options = { interruptBefore: ['send' as const] }
  const thread = { configurable: { thread_id: 'thread-1' } }
  await builder.compile({ ...(await openParts()), ...options }).invoke({ steps: [] }, thread)
  await close()

  const parts = await openParts()
  const graph = builder.compile({ ...parts, ...options })
  expect((await graph.getState(thread)).next).toEqual(['send'])
  await graph.updateState(thread, { steps: ['approved'] })
  expect((await graph.invoke(null, thread)).steps).toEqual(['draft', 'approved', 'send'])
  expect((await parts.store.get(['sent'], 'last'))?.value).toEqual({ steps: ['draft', 'approved'] })
})
