import { Annotation, BaseCheckpointSaver, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph/web'
import { openSessionStore } from 'keepsession'
import { createSaver } from 'keepsession/langgraph'
import { answer } from './model.js'

const client = await openSessionStore({ name: 'langgraph-agent' })
export const checkpointer = createSaver(client, { BaseCheckpointSaver })
export const thread = { configurable: { thread_id: 'chat' } }

const State = Annotation.Root({ ...MessagesAnnotation.spec, plan: Annotation() })

/** First a step that stands for a tool. Its outcome is stored: the agent never does it again for this question. */
async function plan({ messages }) {
  const { content } = messages.at(-1)
  await new Promise((resolve) => setTimeout(resolve, content.startsWith('slowly') ? 1_000 : 30))
  return { plan: { id: crypto.randomUUID(), text: `Repeat "${content}".` } }
}

/** Then a reply, which is shown word by word. It is stored when it is complete. */
async function reply({ messages }, { writer, signal }) {
  const id = crypto.randomUUID()
  let content = ''
  for await (const word of answer(messages.at(-1).content)) {
    signal?.throwIfAborted()
    content += word
    writer?.({ id, content })
  }
  return { messages: [{ role: 'assistant', id, content }] }
}

export const graph = new StateGraph(State)
  .addNode('makePlan', plan)
  .addNode('reply', reply)
  .addEdge(START, 'makePlan')
  .addEdge('makePlan', 'reply')
  .compile({ checkpointer })
