/**
 * What a block of the documents may use without declaring it (`<!-- needs: client, session -->`), as code that is put
 * in front of it, in the order in which it is named.
 */
const NEEDS: Readonly<Record<string, string>> = {
  openSessionStore: `import { openSessionStore } from 'keepsession'`,
  openSync: `import { openSync } from 'keepsession/sync'`,
  client: `import { openSessionStore as openClient } from 'keepsession'; const client = await openClient({ name: 'my-app' })`,
  session: `const session = await client.session('k')`,
  tools: `import type { ToolDefinition } from 'keepsession/types'; const tools: ToolDefinition[] = []`,
  askYourModel: `import type { SummaryRequest } from 'keepsession/types'; const askYourModel = async (request: object & Partial<SummaryRequest>) => 'Of ' + request.messages?.length`,
  updateTheMemoWithYourModel: `import type { MemoModel } from 'keepsession/agently'; const updateTheMemoWithYourModel: MemoModel = async () => ({ memo: { seen: true } })`,
  yourChatFunction: `const yourChatFunction = async ({ messages }: { messages: readonly object[] }) => 'You said ' + messages.length + ' things.'`,
  agent: `import type { Agent } from 'keepsession/aixgo'; const agent: Agent = { execute: async () => ({ role: 'assistant', content: 'hello' }) }`,
  openMyBackend: `import { createMemoryBackend } from 'keepsession/direct'; const openMyBackend = async () => createMemoryBackend()`,
  chatTransport: `import { DefaultChatTransport as ChatTransport } from 'ai'; const chatTransport = new ChatTransport()`,
  graph: `import { MemorySaver, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph/web'; const graph = new StateGraph(MessagesAnnotation).addNode('answer', () => ({})).addEdge(START, 'answer').compile({ checkpointer: new MemorySaver() }); const thread = { configurable: { thread_id: 'thread-1' } }`,
  setMessages: `const setMessages = (messages: import('ai').UIMessage[]) => console.log(messages)`,
  showBanner: `const showBanner = (text: string) => console.log(text)`,
  user: `const user = { id: 'ada' }`,
  userId: `const userId = 'ada'`,
  passphrase: `const passphrase = 'six random words are quite enough'`,
  namespace: `const namespace = 'ada'`,
  transport: `const transport = { kind: 'hocuspocus', url: 'ws://127.0.0.1:1' } as const`,
  secret: `const secret = 'secret'`,
  token: `const token = () => 'secret'`,
  fetchToken: `const fetchToken = async () => 'secret'`,
  show: `const show = (status: object) => console.log(status)`,
  // For a block of JavaScript.
  verify: `const verify = async (/** @type {string} */ token) => ({ sub: token, exp: 0 })`,
}

/** A block as a module, with what it needs in front. @throws when it needs something that is not in the list */
export function moduleOf({
  place,
  code,
  needs,
}: {
  readonly place: string
  readonly code: string
  readonly needs: readonly string[]
}): string {
  const given = needs.map((name) => {
    const need = NEEDS[name]
    if (need === undefined)
      throw new Error(`The block at ${place} needs "${name}", which test/packaging/block-needs.ts does not have.`)
    return need
  })
  return [...given, code, 'export {}'].join('\n')
}
