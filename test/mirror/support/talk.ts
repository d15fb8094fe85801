import type { AppendResult } from '../../../src/contract/store/session-log.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'

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
