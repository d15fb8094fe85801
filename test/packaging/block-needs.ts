/**
 * What a block of the documents may say that its reader has already (`<!-- needs: store, session -->`), as code that stands before it. It comes in the
 * order in which it is named.
 */
export const NEEDS: Readonly<Record<string, string>> = {
  openSessionStore: `import { openSessionStore } from 'keepsession'`,
  openSync: `import { openSync } from 'keepsession/sync'`,
  store: `import { openSessionStore as openStore } from 'keepsession'; const store = await openStore({ name: 'my-app' })`,
  session: `const session = await store.session('k')`,
  tools: `import type { ToolDefinition } from 'keepsession'; const tools: ToolDefinition[] = []`,
  askYourModel: `import type { SummaryRequest } from 'keepsession'; const askYourModel = async (request: object & Partial<SummaryRequest>) => 'Of ' + request.messages?.length`,
  updateTheMemoWithYourModel: `import type { MemoModel } from 'keepsession/agent'; const updateTheMemoWithYourModel: MemoModel = async () => ({ memo: { seen: true } })`,
  yourChatFunction: `const yourChatFunction = async ({ messages }: { messages: readonly object[] }) => 'You said ' + messages.length + ' things.'`,
  agent: `import type { Agent } from 'keepsession/agent'; const agent: Agent = { execute: async () => ({ role: 'assistant', content: 'hello' }) }`,
  openMyBackend: `import { createMemoryBackend } from 'keepsession/direct'; const openMyBackend = async () => createMemoryBackend()`,
  user: `const user = { id: 'ada' }`,
  userId: `const userId = 'ada'`,
  passphrase: `const passphrase = 'six random words are quite enough'`,
  namespace: `const namespace = 'ada'`,
  transport: `const transport = { kind: 'hocuspocus', url: 'ws://127.0.0.1:1' } as const`,
  secret: `const secret = 'secret'`,
  token: `const token = () => 'secret'`,
  fetchToken: `const fetchToken = async () => 'secret'`,
  show: `const show = (status: object) => console.log(status)`,
  // Of a block of JavaScript.
  verify: `const verify = async (/** @type {string} */ token) => ({ sub: token, exp: 0 })`,
}

/** A block with what it needs before it, as a module. @throws when it names what nobody knows */
export function moduleOf({ place, code, needs }: { readonly place: string; readonly code: string; readonly needs: readonly string[] }): string {
  const given = needs.map((name) => {
    const need = NEEDS[name]
    if (need === undefined) throw new Error(`The block at ${place} needs "${name}", which test/packaging/block-needs.ts does not have.`)
    return need
  })
  return [...given, code, 'export {}'].join('\n')
}
