import type { SourceFile } from '../../../src/contract/job.ts'
import type { JsonObject, JsonValue } from '../../../src/contract/json.ts'
import type { Message } from '../../../src/contract/message.ts'
import type { View } from '../../../src/contract/store/session-log.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'

export const openStore = (now = () => Date.UTC(2026, 8, 1)): SessionStore =>
  createSessionStore(createMemoryBackend(), { now })

export const blobOf = (value: unknown): Blob => new Blob([typeof value === 'string' ? value : JSON.stringify(value)])
export const linesOf = (values: readonly unknown[]): Blob =>
  new Blob([values.map((value) => `${typeof value === 'string' ? value : JSON.stringify(value)}\n`).join('')])
export const filesOf = (files: Readonly<Record<string, unknown>>): SourceFile[] =>
  Object.entries(files).map(([path, value]) => ({ path, blob: value instanceof Blob ? value : blobOf(value) }))

export const uuid = (n: number): string => `00000000-1111-4222-8333-${String(n).padStart(12, '0')}`
/** The n-th minute of 14 March 2026. */
export const msAt = (n: number): number => Date.UTC(2026, 2, 14, 8, n)

/** What ChatGPT writes of a node: id of the node, parent, message. */
export type ChatNode = readonly [id: string, parent: string | null, message: JsonObject | null]

export const chatSays = (n: number, role: string, text: string, more: JsonObject = {}): JsonObject => ({
  id: uuid(900 + n),
  author: { role, name: null, metadata: {} },
  create_time: msAt(n) / 1000,
  update_time: null,
  content: { content_type: 'text', parts: [text] },
  status: 'finished_successfully',
  end_turn: true,
  weight: 1,
  metadata: role === 'assistant' ? { model_slug: 'gpt-5' } : {},
  recipient: 'all',
  channel: null,
  ...more,
})

/** A conversation of `conversations.json`, with the root that has no message. */
export function chatGpt(id: string, nodes: readonly ChatNode[], more: JsonObject = {}): JsonObject {
  const mapping: Record<string, JsonValue> = { root: { id: 'root', message: null, parent: null, children: [] } }
  for (const [node, parent, message] of nodes)
    mapping[node] = {
      id: node,
      message,
      parent: parent ?? 'root',
      children: nodes.filter(([, above]) => above === node).map(([child]) => child),
    }
  return {
    title: `Conversation ${id}`,
    create_time: msAt(0) / 1000,
    update_time: msAt(50) / 1000,
    mapping,
    moderation_results: [],
    current_node: nodes.at(-1)?.[0] ?? 'root',
    conversation_id: id,
    id,
    is_archived: false,
    default_model_slug: 'gpt-5',
    ...more,
  }
}

/** A question and its answer, asked again once: a tree with two lines. */
export const forked = (id = uuid(1), more: JsonObject = {}): JsonObject =>
  chatGpt(
    id,
    [
      ['q1', null, chatSays(1, 'user', 'What is a fold?')],
      ['a1', 'q1', chatSays(2, 'assistant', 'A reduction.')],
      ['q2', 'a1', chatSays(3, 'user', 'Show one.')],
      ['a2', 'q2', chatSays(4, 'assistant', 'sum = xs.reduce(add)')],
      ['a1b', 'q1', chatSays(5, 'assistant', 'A way to consume a list.')],
      ['q3', 'a1b', chatSays(6, 'user', 'In Haskell?')],
    ],
    more,
  )

/** What a line says, as `role: text`. */
export async function said(
  store: SessionStore,
  key: string,
  options: { readonly view?: View; readonly branch?: string } = {},
): Promise<readonly string[]> {
  const { entries } = await store.read(key, { view: 'transcript', limit: 4096, after: '', ...options })
  return entries.map(({ type, message, data }) =>
    message === undefined
      ? `${type}: ${JSON.stringify(data?.['content'] ?? data?.['summary'] ?? '')}`
      : `${message.role}: ${textOf(message)}`,
  )
}

/** Every line's text, the head's first. */
export async function lines(store: SessionStore, key: string): Promise<readonly (readonly string[])[]> {
  const branches = await store.listBranches(key)
  const sorted = [...branches].sort((a, b) => Number(b.isHead) - Number(a.isHead))
  return Promise.all(sorted.map(({ id }) => said(store, key, { view: 'raw', branch: id })))
}

export const messagesOf = async (store: SessionStore, key: string): Promise<readonly Message[]> =>
  (await store.read(key, { limit: 4096, after: '' })).entries.flatMap(({ message }) => message ?? [])

function textOf({ content }: Message): string {
  return typeof content === 'string' ? content : JSON.stringify(content)
}

/** Everything a store holds, by key: two that are equal here are the same to everybody. */
export async function everything(store: SessionStore): Promise<unknown> {
  const { sessions } = await store.listSessions({ limit: 10_000, order: 'title' })
  return Promise.all(
    sessions
      .map(({ key }) => key)
      .sort()
      .map(async (key) => [key, await store.getMeta(key), await store.changes(key)]),
  )
}
