import type { ImportReport } from '../../../src/contract/job.ts'
import type { JsonObject, JsonValue } from '../../../src/contract/json.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { exportAgently } from '../../../src/dialects/agently/format/export-agently.ts'
import { type ImportAgentlyOptions, importAgently } from '../../../src/dialects/agently/format/import-agently.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'

export const id = '7ceb7cd240024477bb5e3db8211f616b'

export const now = Date.UTC(2026, 8, 1)

export const openStore = (): SessionStore => createSessionStore(createMemoryBackend(), { now: () => now })

/** A user's and an assistant's messages, from one number up to another. */
export const talk = (to: number, from = 0): JsonObject[] =>
  Array.from({ length: to - from }, (_, i) => ({
    role: (from + i) % 2 === 0 ? 'user' : 'assistant',
    content: `msg ${from + i}`,
  }))

/** What Agently exports of a session of so many messages. */
export const stateOf = (count: number, fields: JsonObject = {}): JsonObject => ({
  id,
  memo: { name: '小明' },
  full_chat_history: talk(count),
  current_chat_history: talk(count),
  settings: { session: { mode: 'memo', limit: { chars: 100, messages: 4 } } },
  turns: Math.floor(count / 2),
  last_resize_turn: 0,
  memo_cursor: 0,
  ...fields,
})

const fileOf = (state: JsonValue | string): Blob =>
  new Blob([typeof state === 'string' ? state : JSON.stringify(state)])

export const take = (
  store: SessionStore,
  state: JsonValue | string,
  options: ImportAgentlyOptions = {},
): Promise<ImportReport> => importAgently(store, fileOf(state).stream(), { now: () => now, ...options })

export const textOf = async (store: SessionStore, key: string, as: 'json' | 'yaml' = 'json'): Promise<string> =>
  (await exportAgently(store, key, { as })).blob.text()

/** A session's state, as an export gives it. */
export const given = async (store: SessionStore, key: string = id): Promise<JsonObject> =>
  JSON.parse(await textOf(store, key)) as JsonObject

/** Copies a session from one store to another, as sync does. */
export async function sync(from: SessionStore, to: SessionStore, key: string): Promise<void> {
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const page = await from.changes(key, {}, cursor)
    await to.merge(key, page.entries)
    cursor = page.next
  }
}
