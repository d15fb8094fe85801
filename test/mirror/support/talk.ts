import { expect } from 'vitest'
import type { AppendResult } from '../../../src/contract/store/session-log.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'

/** Appends messages of a user and an assistant in turn, in one commit. */
export function say(
  store: Pick<SessionStore, 'append'>,
  key: string,
  ...texts: readonly string[]
): Promise<AppendResult> {
  return store.append(
    key,
    texts.map((content, i) => ({ type: 'message', message: { role: i % 2 === 0 ? 'user' : 'assistant', content } })),
  )
}

export async function texts(store: Pick<SessionStore, 'getHistory'>, key: string): Promise<unknown[]> {
  return (await store.getHistory(key)).map(({ content }) => content)
}

/** What another device shows that takes in the whole log. */
export async function textsElsewhere(store: SessionStore, key: string): Promise<readonly unknown[]> {
  const other = createSessionStore(createMemoryBackend())
  const { entries } = await store.changes(key)
  expect((await other.merge(key, entries)).refused).toEqual([])
  return texts(other, key)
}
